"""Attack Roadstead's own recodings before they are released."""
