"""Control who may use the workbench, and what its pages may do."""
