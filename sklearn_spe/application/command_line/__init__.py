"""The command line: ``sklearn-spe estimate FILE --score COLUMN --label COLUMN``."""

from ._main import main as main
