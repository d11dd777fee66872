"""What "python3 PROGRAM" runs: the program itself. In an archive that Python finds in the program's file."""
import os
import sys

os.execv(sys.argv[0], sys.argv)
