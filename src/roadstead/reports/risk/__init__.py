"""Show the results of a risk assessment, and generate their page."""
