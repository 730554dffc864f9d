"""Find conspicuous values of columns, and describe them in sentences for all outputs."""
