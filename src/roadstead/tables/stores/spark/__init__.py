"""Spark: a cluster, a session of this process, or a server of Spark Connect."""
