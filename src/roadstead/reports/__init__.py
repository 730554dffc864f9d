"""Write reports for the people who decide about a release: treatment, risk, and detail lost."""
