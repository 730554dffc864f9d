"""The commands of Roadstead, for the command line and for Python."""
