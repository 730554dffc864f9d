"""Quality models: how much of the data a policy loses."""
