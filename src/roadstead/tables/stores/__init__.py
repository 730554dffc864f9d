"""Databases that tables are read from and released to, a folder each.

A store declares in its ``store.py`` what it is called, how its addresses are written and who does
what (:class:`roadstead.tables.stores.store.Store`); nothing outside its folder knows it by name.
:mod:`roadstead.tables.stores.store` finds the folders here, and the stores of other packages by
their entry point ``roadstead.stores``. :mod:`roadstead.tables.stores.access` is what the other
rooms use.
"""
