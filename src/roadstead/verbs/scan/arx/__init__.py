"""Read the settings of ARX projects (files that end in ``.deid``) for a project file."""
