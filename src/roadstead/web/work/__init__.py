"""Work in separate processes, so that the page never waits: the tasks, and who does them."""
