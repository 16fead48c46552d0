"""Random CUDA programs as people write them, run as they are and in every forced version.

    python -m tests.random_programs --kernels 10000 --seed 1 --results FILE.jsonl

`grammar/` writes kernels, one module per subject. A `Program` (program.py) is what a seed stands for: a tree (tree.py),
so that `shrink.py` can make it smaller. `policies.py` says what is forced, `workshop.py` builds and runs, `verdict.py`
compares, `campaign.py` counts.
"""
