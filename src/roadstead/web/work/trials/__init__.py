"""Work of the step Explore: a frontier, a candidate's release, and the comparison of releases."""
