"""The settings that a request may specify if it counts people."""
