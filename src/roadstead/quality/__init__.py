"""Quality models: how much detail a policy loses."""
