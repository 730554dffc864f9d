"""Persons in a release: pseudonyms, dates within a person, what is counted of persons."""
