"""Draw the charts of reports.

Each chart first gathers its data as a small tuple of numbers, so a test does not need an image.
Then the chart draws a list of shapes for each page width. The page adds the titles.
"""
