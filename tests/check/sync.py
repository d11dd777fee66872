"""Waves that do not meet; see corpus.py."""
import corpus

BUGS = {
    "left-early": ({"barrier-exit": 1}, "waves have ended while others wait at a barrier", "bug: barrier-exit", None,
                   "3 of 4 waves wait here, wave 3 is the first that has ended"),
}

corpus.main(BUGS)
