"""Release whole databases, with new keys, shifted dates, and generalized codes."""
