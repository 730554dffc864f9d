"""Projects of ARX (files that end in ``.deid``): their settings, for a project file."""
