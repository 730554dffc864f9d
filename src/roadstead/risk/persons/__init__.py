"""Risk of persons who may have several records."""
