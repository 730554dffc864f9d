"""Attack Roadstead's own recodings before a release is trusted."""
