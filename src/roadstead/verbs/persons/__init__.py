"""What a request that counts people may specify."""
