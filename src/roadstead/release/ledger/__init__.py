"""Compare new releases with the ledger, which has an entry for each earlier release."""
