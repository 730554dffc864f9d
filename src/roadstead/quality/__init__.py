"""Quality models, which measure how much detail is lost under a policy."""
