"""Run work in separate processes, so that the page never has to wait."""
