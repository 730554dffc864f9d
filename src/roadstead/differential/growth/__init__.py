"""How cuts grow: partitions, and each kind of attribute as it is specialized."""
