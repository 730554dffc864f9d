"""Any other database that Ibis connects to, and the default behavior of every store."""
