"""The tables of the guide, from the files that the other modes wrote."""

from guide_tables import add_table_options, write_tables

from . import ranking, real, tags

SOURCES = {"tags": tags, "ranking": ranking, "real": real}


def add_options(add):
    """Add the files."""
    add_table_options(add, SOURCES)


def main(options):
    """Write the tables; return them without a file."""
    return write_tables(options, SOURCES)
