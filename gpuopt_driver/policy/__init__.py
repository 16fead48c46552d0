"""toolchain.toml: its schema, loading, and the origin of every value."""
