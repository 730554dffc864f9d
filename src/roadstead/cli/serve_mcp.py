"""Run the command ``serve-mcp``, which serves tools for AI agents on standard input and output."""

from __future__ import annotations

from pathlib import Path

from roadstead.mcp_server.server import serve_mcp


def serve(allow: list[Path] | None, *, header: bool) -> int:
    """Run the command. If no folder is given, the current folder is allowed."""
    serve_mcp(tuple(allow) if allow else (Path.cwd(),), header=header)
    return 0
