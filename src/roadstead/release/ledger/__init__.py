"""The ledger of releases: one entry per release, with which new releases are compared."""
