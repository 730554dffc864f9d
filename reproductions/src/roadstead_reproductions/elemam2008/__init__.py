"""Paper 001: the actual risk of a k-anonymized sample, and alternatives to k-anonymity.

El Emam and Dankar draw samples from populations, k-anonymize them by four rules, and compare the
actual risk with the intended risk.
"""
