"""The ledger of releases: an entry per release, so that new releases can be compared with it."""
