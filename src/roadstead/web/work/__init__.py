"""Run work in separate processes, so that the page never waits."""
