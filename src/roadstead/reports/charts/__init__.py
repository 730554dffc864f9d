"""The charts of reports: for each, what is drawn, and the drawing.

What is drawn is gathered first, as a small tuple of numbers that can be tested without looking. The
drawing is a list of shapes, made once for each width that a page may have. Titles are left to the
page.
"""
