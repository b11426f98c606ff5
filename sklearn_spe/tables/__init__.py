"""Reading and writing files of rows."""
