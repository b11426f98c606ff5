"""Models of labels given scores, noisy labels and known labels: one model per file."""
