"""Store the work at the workbench: project files and their results."""
