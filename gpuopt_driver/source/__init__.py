"""Bytes of the user's files, edits on them, and what a set of edits looks like."""
