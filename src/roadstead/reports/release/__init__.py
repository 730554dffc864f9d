"""Turn the result of a release into facts, and the facts into the content of its report."""
