"""What the step Explore has done: a frontier, a candidate carried out, releases of it compared."""
