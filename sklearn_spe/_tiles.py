"""Tiles: a large array of draws by scores is made and reduced a few rows at a time."""

# A tile of 2**17 doubles is 1 MiB: it stays in the cache, and memory does not grow with the
# number of draws. Changing it may change the last digits of sums.
TILE_SIZE = 2**17


def row_tiles(n_rows: int, n_columns: int):
    """Yield slices of rows, each of about `TILE_SIZE` numbers."""
    step = max(1, TILE_SIZE // max(1, n_columns))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))
