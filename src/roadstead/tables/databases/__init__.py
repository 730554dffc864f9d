"""Tables that live in a database: opened, worked on where they are, and published there."""
