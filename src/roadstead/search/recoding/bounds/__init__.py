"""What no recoding can lose less than."""
