"""Results of a risk assessment, and their page."""
