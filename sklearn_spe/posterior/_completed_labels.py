"""Blocks of posterior draws, and the labels that complete a sample in each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Number of draws per block. Each block has its own random stream, so that results do not depend on
# the number of workers.
BLOCK = 64
# Parts of a block have about so many numbers (8 MiB): the memory of one serves the next.
MAX_NUMBERS = 2**20
# Completed labels are kept if they take no more bytes than this.
MAX_BYTES = 2**26


@dataclass(frozen=True)
class Block:
    """Consecutive draws of one mixture: their rows among all draws and within the mixture."""

    index: int
    mixture: int
    rows: slice
    own_rows: slice

    def each(self) -> Iterator[Block]:
        """Yield the draws one by one, as blocks of one."""
        return self.parts(MAX_NUMBERS)

    def parts(self, n_columns: int) -> Iterator[Block]:
        """Yield parts of the block, such that an array of draws by columns is small."""
        step = max(1, MAX_NUMBERS // max(1, n_columns))
        n_draws = self.rows.stop - self.rows.start
        for first in range(0, n_draws, step):
            last = min(first + step, n_draws)
            rows = slice(self.rows.start + first, self.rows.start + last)
            own_rows = slice(self.own_rows.start + first, self.own_rows.start + last)
            yield Block(self.index, self.mixture, rows, own_rows)


def blocks_of(n_draws: int) -> list[Block]:
    """Return the fixed blocks of the draws of one model."""
    blocks = list[Block]()
    for first in range(0, n_draws, BLOCK):
        rows = slice(first, min(first + BLOCK, n_draws))
        blocks.append(Block(len(blocks), 0, rows, rows))
    return blocks


class Completions:
    """The completed labels of a sample: drawn once, and shared by all questions.

    A posterior holds them in a cached property; they are in no pickle, and drawn again from the
    same random streams.

    Parameters
    ----------
    blocks : sequence of Block
        The blocks of the posterior.
    draw : callable
        ``draw(block, *stream)`` draws the labels of a whole block, (n_rows, ...). The stream
        identifies the draws: first the seed, then all other values that change them.
    dtype : numpy.dtype
        The type in which labels are kept.
    n_streams : int, default=1
        Number of streams that are kept; a further one replaces them.
    max_bytes : float, default=MAX_BYTES
        Labels of all blocks that take more are drawn each time.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        draw: Callable[..., np.ndarray],
        dtype: np.dtype,
        *,
        n_streams: int = 1,
        max_bytes: float = MAX_BYTES,
    ) -> None:
        self.blocks = blocks
        self.draw = draw
        self.dtype = dtype
        self.n_streams = n_streams
        self.max_bytes = max_bytes
        self._labels: dict[tuple[Any, ...], np.ndarray] = {}

    def __len__(self) -> int:
        """Return the number of blocks that are kept."""
        return len(self._labels)

    def of_block(self, block: Block, *stream: int) -> np.ndarray:
        """Return the labels of a block of draws, or of a part of it, (n_rows, ...)."""
        stored = self.blocks[block.index]

        labels = self._labels.get((stream, block.index))
        if labels is None:
            labels = self.draw(stored, *stream).astype(self.dtype, copy=False)
            if len(self._labels) >= self.n_streams * len(self.blocks):
                self._labels.clear()
            # Kept, unless those of all blocks take too much memory.
            if labels.nbytes / len(labels) * self.blocks[-1].rows.stop <= self.max_bytes:
                labels.flags.writeable = False
                self._labels[stream, block.index] = labels

        # The rows of this part within its block.
        first = block.rows.start - stored.rows.start
        return labels[first : first + block.rows.stop - block.rows.start]
