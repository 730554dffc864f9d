"""Risk of people who may have several records."""
