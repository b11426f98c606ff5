"""The mean of numeric labels: grades, rubric scores, measurements."""
