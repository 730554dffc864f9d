"""Convert the settings of ARX projects (``.deid`` files) to project files."""
