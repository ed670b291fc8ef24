"""Tools that are told in a JSON file: calls of an HTTP API, and scripts."""
