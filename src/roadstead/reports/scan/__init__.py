"""Describe the roles and hierarchies that a scan proposes."""
