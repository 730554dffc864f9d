"""Contracts that models keep, as checks that another package can run on its own."""
