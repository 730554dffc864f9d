"""Read sets of tables about the same people, with rules for each column."""
