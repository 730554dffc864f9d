"""Read Excel workbooks and OpenDocument spreadsheets with calamine, and write such files."""
