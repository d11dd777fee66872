"""What every script here does with a wrong number of arguments: its own description, and status 2."""
import sys


def arguments(description, least, most=None):
    """The command line's arguments; `least` of them, or up to `most`."""
    given = sys.argv[1:]
    if not least <= len(given) <= (most or least):
        print(description.strip(), file=sys.stderr)
        sys.exit(2)
    return given
