"""Any other database that Ibis connects to, and what every store does unless it says otherwise."""
