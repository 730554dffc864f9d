"""Questions answered at once from the original table; the project file keeps its column roles."""
