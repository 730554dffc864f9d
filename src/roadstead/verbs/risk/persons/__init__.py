"""Assess the risk of people with several records in a table."""
