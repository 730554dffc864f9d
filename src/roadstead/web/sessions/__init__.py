"""Store the work at the workbench: a project file, and the results for it."""
