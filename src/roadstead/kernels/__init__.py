"""The few compiled inner loops; each has a plain NumPy twin in the tests."""
