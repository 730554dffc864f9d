"""Paper 001: how large the risk of a k-anonymized sample really is, and which alternatives exist.

El Emam and Dankar draw samples from populations, k-anonymize them by four rules, and compare the
risk that an attacker finds out with the intended risk.
"""
