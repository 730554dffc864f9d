"""Workbooks of Excel and spreadsheets of OpenDocument, read by calamine."""
