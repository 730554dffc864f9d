"""From groups to noisy counts, and from these to records that add up."""
