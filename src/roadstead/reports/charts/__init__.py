"""Draw the charts of reports: gather the data of each chart, and draw it.

The data are gathered first, as a small tuple of numbers. So a test does not need an image. The
drawing is a list of shapes. Each chart is drawn once for each width that a page may have. The page
adds the titles.
"""
