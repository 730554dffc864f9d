"""Show the results of an evaluation in words, as JSON, and as a chart."""
