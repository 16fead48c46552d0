"""The subcommands of `gpuopt`: each module has `add_arguments(parser)` and `run(arguments) -> exit status`."""
