"""Databases for reading and releasing tables, with one folder for each kind of database.

A store declares its name, the form of its addresses, and its functions in its ``store.py``
(:class:`roadstead.tables.stores.store.Store`); code outside the folder does not use this name.
:mod:`roadstead.tables.stores.store` finds the folders of this package, and the stores of other
packages by the entry point ``roadstead.stores``. The rest of Roadstead uses
:mod:`roadstead.tables.stores.access`.
"""
