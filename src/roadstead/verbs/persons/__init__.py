"""Read the settings about people in a request."""
