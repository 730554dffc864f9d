"""Show the facts about a frontier as text, as JSON, and as a page."""
