"""The rows of a person made what one unit of privacy may have: few of them, or one record."""
