"""The ledger of releases: what left before, so that a new release can be laid over it."""
