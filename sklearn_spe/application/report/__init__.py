"""Reports: lines of text, and self-contained HTML pages."""
