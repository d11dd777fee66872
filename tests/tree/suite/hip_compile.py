"""What scripts/hip-compile says where it leaves a program to hipcc: nothing, unless the header that it has read is to blame. A
command of ours stands for hipcc, whose front end takes no program with such a header. usage: hip_compile.py SCRIPTS"""
import os
import subprocess
import sys
import tempfile

HIPCC = r"""#!/bin/sh
case " $* " in
*" -### "*)
    for last in "$@"; do :; done # of a program its output, of the header itself -###
    for front in gpu host; do
        echo " \"$0.front\" \"-cc1\" \"-emit-obj\" $([ $front = gpu ] && echo '"-fcuda-is-device"') \"$(pwd)/SOURCE.hip\" \"-o\" \"$([ $front = gpu ] && echo /dev/null || echo "$last")\"" >&2
    done ;;
*) for last in "$@"; do :; done; echo made >"$last" ;;
esac
"""
FRONT = '#!/bin/sh\ncase " $* " in *" -emit-pch "*) ;; *) exit 1 ;; esac\n'


with tempfile.TemporaryDirectory() as folder:
    for name, text in (("hipcc", HIPCC), ("hipcc.front", FRONT)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)

    def said(*sources):
        run = subprocess.run([sys.executable, sys.argv[1] + "/hip-compile", folder + "/headers", folder + "/hipcc", "-O3", *sources,
                              "-o", folder + "/program"], capture_output=True, text=True, timeout=60, cwd=folder)
        assert (run.returncode, run.stderr) == (0, ""), run
        with open(folder + "/program") as file:
            assert file.read() == "made\n"
        os.unlink(folder + "/program")
        return run.stdout

    header = folder + "/headers/O2-pthread"
    fits_not = f"hip-compile: {header} does not fit, perhaps it is of another version of the runtime: remove it\n"
    told = said("one.hip"), said("one.hip", "two.hip")
    with open(header + ".tried") as file:
        assert file.read() == "made", "no header was read"
    assert told == (fits_not, ""), told
