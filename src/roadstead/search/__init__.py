"""The searches, which all have the same small protocol."""
