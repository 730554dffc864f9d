"""Sign releases, and check signatures, which show who is responsible for a release."""
