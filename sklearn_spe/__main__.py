"""Entry point of ``python -m sklearn_spe``."""

import sys

from .application.command_line._main import main

if __name__ == "__main__":
    sys.exit(main())
