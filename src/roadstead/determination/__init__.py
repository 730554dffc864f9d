"""Determinations: what people answer, merged with what was measured, as regulators ask."""
