"""Work in processes of its own, so that the page never waits: what is done there, and by whom."""
