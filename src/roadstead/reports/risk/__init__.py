"""Show the results of a risk assessment, and make their page."""
