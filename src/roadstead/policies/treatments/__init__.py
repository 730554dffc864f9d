"""What is done to a released column that is no quasi-identifier: microaggregated, or rounded."""
