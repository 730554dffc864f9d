"""The compiled loops of the searches for recodings, and of the lower bounds on their loss."""
