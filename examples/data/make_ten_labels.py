"""Make digits_ten_labels.csv: every score of one real classifier, and ten of its labels.

The ten are a simple random sample of the 1,797 digits, drawn again until it holds at least two
positives (a plain sample of ten holds none in one case out of three). `truth` keeps every label,
so that a reader can check what was estimated; nothing may look at it before that.
"""

import csv
import gzip
import random
from pathlib import Path

HERE = Path(__file__).parent
N_LABELS = 10
MIN_POSITIVES = 2


def main():
    """Write digits_ten_labels.csv beside this script."""
    with gzip.open(HERE / "optdigits_logres8.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    rng = random.Random(0)
    while True:
        labelled = set(rng.sample(range(len(rows)), N_LABELS))
        if sum(rows[i]["label"] == "1" for i in labelled) >= MIN_POSITIVES:
            break
    with (HERE / "digits_ten_labels.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["score", "label", "truth"])
        for i, row in enumerate(rows):
            label = row["label"] if i in labelled else ""
            writer.writerow([row["score"], label, row["label"]])


if __name__ == "__main__":
    main()
