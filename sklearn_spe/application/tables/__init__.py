"""Reading files of rows, and tables to label."""
