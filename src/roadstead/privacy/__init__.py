"""Privacy models: what must hold of every equivalence class that is released."""
