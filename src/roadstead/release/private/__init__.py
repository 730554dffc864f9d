"""Write and check the files of differentially private releases."""
