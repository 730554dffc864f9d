"""Read and release tables in databases, with one folder for each kind of database.

The ``store.py`` of a folder declares the store (:class:`roadstead.tables.stores.store.Store`). The
rest of Roadstead uses :mod:`roadstead.tables.stores.access`.
"""
