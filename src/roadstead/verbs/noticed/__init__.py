"""What Roadstead noticed in the values of columns, in sentences for every output."""
