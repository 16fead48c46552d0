"""Findings, and their text, JSON, SARIF and HTML forms."""
