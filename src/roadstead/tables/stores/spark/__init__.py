"""The store for Spark: a cluster, a session in this process, or a Spark Connect server."""
