"""The store of any other database of Ibis, and the default behavior of every store."""
