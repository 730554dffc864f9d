"""Answer questions about the original table at once. The project file has the column roles."""
