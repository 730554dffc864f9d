"""Paper 001: how large the risk of a k-anonymized sample really is, and what else could be done.

El Emam and Dankar draw samples of populations, k-anonymize them by four rules, and compare the
risk that somebody finds out with the one that was meant.
"""
