"""What is answered at once, of a table as it is; its columns stay as the project file has them."""
