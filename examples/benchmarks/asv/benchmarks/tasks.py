"""Tasks of ``speed.py`` for airspeed velocity, which keeps their figures over many commits.

Run ``asv run`` in the folder of ``asv.conf.json``.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import speed


def track_cpu_seconds(task):
    """Return the CPU seconds of all calls of a task."""
    return sum(seconds for seconds, _ in speed.figures_of(task).values())


def track_peak_memory(task):
    """Return the peak of the resident memory, in MiB."""
    return max(peak for _, peak in speed.figures_of(task).values())


track_cpu_seconds.unit, track_peak_memory.unit = "s", "MiB"
for track in (track_cpu_seconds, track_peak_memory):
    track.params, track.param_names = list(speed.TASKS), ["task"]
