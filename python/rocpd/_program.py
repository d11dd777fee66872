"""Programs of this installation, above all rocpd, which makes the files."""
import os
import shutil
import subprocess


def find(name="rocpd"):
    """The path of a program."""
    directory = os.path.dirname(os.path.realpath(__file__))
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        path = os.path.join(directory, "bin", name)
        if os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if not path:
        raise FileNotFoundError(f"the program {name}")
    return path


def run(command, data, *words):
    """Runs a command on the databases of `data`, within its time window; True if it succeeded."""
    window = [word for option, value in data.window.items() for word in (f"--{option}", str(value))]
    return subprocess.run([find(), command, "-i", *data.filenames, *window, *words], check=False).returncode == 0


def pass_on(*words):
    """Runs the program with these words; its status."""
    return subprocess.run([find(), *words], check=False).returncode
