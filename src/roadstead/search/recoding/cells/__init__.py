"""Cell suppression, where all classes share one vector of levels and some cells are suppressed."""
