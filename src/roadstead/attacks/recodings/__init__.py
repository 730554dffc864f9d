"""Attack Roadstead's own recodings before their release."""
