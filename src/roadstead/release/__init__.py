"""Apply a policy to a table, write the release, and verify the release."""
