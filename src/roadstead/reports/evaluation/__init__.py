"""Results of an evaluation: its facts, in words, as JSON, and as a chart."""
