"""What an assessment of risk found, and its page."""
