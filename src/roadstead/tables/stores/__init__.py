"""Databases that tables are read from and released to, one folder each.

A store declares its name, the form of its addresses, and its functions in its ``store.py``
(:class:`roadstead.tables.stores.store.Store`); code outside its folder does not know its name.
:mod:`roadstead.tables.stores.store` finds the folders here, and the stores of other packages by
their entry point ``roadstead.stores``. The other packages use
:mod:`roadstead.tables.stores.access`.
"""
