"""A policy as SQL, for engines whose tables never come to Roadstead."""
