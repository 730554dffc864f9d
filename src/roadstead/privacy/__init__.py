"""Privacy models: the conditions that every released equivalence class must meet."""
