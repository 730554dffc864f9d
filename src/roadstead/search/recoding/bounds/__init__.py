"""Lower bounds on the loss of recodings."""
