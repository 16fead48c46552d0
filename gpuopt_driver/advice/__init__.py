"""What a kernel's author can do that no compiler may: facts of launches, accesses and instructions, and what helps.

Each module looks for one kind of loss in the facts that `gpuopt_driver.facts` has of a kernel and yields `Advice`.
Nothing here changes a build.
"""
