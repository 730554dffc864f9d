"""Provide the store for Spark clusters, sessions in this process, and Spark Connect servers."""
