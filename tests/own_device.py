"""A place where the device of AMD's driver seems to be there: a /dev of one's own, for root, with an empty file in its place.
Without an AMD GPU rocprofv3 would give each program softgpu."""
import os
import subprocess
import sys
import tempfile

DEVICE = "/dev/kfd"
SCRIPT = f"""mount --make-rprivate / && touch "$1/null" && mount --bind /dev/null "$1/null" && mount -t tmpfs own /dev &&
    touch /dev/null {DEVICE} && mount --bind "$1/null" /dev/null && umount "$1/null" && rm -r "$1" && shift && exec "$@\""""


def become():
    """Becomes this script in such a place, if there is no device and that can be."""
    if os.path.exists(DEVICE) or os.geteuid() != 0 or "OWN_DEV" in os.environ:
        return
    may = "mount --make-rprivate / && mount -t tmpfs own /dev"
    if subprocess.run(["unshare", "--mount", "sh", "-c", may], capture_output=True, check=False).returncode != 0:
        return
    place = tempfile.mkdtemp(dir="/tmp") # which is not below /dev
    os.environ["OWN_DEV"] = place
    os.execvp("unshare", ["unshare", "--mount", "sh", "-c", SCRIPT, "sh", place, sys.executable, *sys.argv])
