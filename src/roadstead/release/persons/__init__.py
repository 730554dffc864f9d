"""Handle people in a release: their pseudonyms, their dates, and figures that count people."""
