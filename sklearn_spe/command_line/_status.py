"""Exit statuses."""

from __future__ import annotations

__all__ = ["BROKEN_PIPE", "EPILOG", "FAILED", "INTERRUPTED", "OF_VERDICT"]

OF_VERDICT = {"ok": 0, "unidentified": 3, "misfit": 4, "unreliable": 5}
# The status of argparse errors.
FAILED = 2
# 128 plus the number of the signal, as in shells.
INTERRUPTED, BROKEN_PIPE = 130, 141

EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels hold little information), 4 if it is misfit (the data contradict "
    "something that was assumed), 5 if it is unreliable (the computation failed). While suggest or "
    "find ask for labels it is 0 whatever the verdict."
)
