"""Reports for the people who decide about a release: treatment, remaining risk, and detail lost."""
