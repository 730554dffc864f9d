"""People in a release: their pseudonyms, their dates, and the figures that count people."""
