"""Who may ask the workbench for anything, and what a page of it may do."""
