"""The compiled inner loops. The tests compare each of them with a plain NumPy version."""
