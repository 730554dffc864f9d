"""What somebody works on at the workbench: a project file, and what was found for it."""
