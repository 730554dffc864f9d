"""The store of Spark: a cluster, a session of this process, or a Spark Connect server."""
