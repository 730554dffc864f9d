"""What a request that counts persons may ask for, and what not."""
