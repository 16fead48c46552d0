"""GPU facts as data: one TOML file per GPU, loaded to one frozen `Arch`."""
