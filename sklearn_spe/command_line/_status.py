"""The exit status: what a script learns without reading."""

from __future__ import annotations

__all__ = ["BROKEN_PIPE", "EPILOG", "FAILED", "INTERRUPTED", "OF_VERDICT"]

OF_VERDICT = {"ok": 0, "unidentified": 3, "misfit": 4}
# What argparse takes too.
FAILED = 2
# 128 and the number of the signal, as shells count.
INTERRUPTED, BROKEN_PIPE = 130, 141

EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels say little), 4 if it is misfit (something that was assumed "
    "contradicts the data). While suggest or find ask for labels it is 0 whatever the verdict."
)
