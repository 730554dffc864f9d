"""The charts of reports: the data of each chart, and the drawing.

The data are gathered first, as a small tuple of numbers, so a test needs no image. The drawing is a
list of shapes. It is made once for each width that a page may have. The page adds the titles.
"""
