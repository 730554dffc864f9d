"""Answer questions from the original table at once. The project file has the column roles."""
