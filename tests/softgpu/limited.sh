#!/bin/sh
# limited.sh SIZE COMMAND...: runs it as a user without rights, who may write files of SIZE blocks at
# most (ulimit -f, hard): the GPU's memory and the driver's files are none that such a limit counts.
set -u
size=$1
shift
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid 65534 --regid 65534 --clear-groups"
for file in "$@"; do # the folders above may be root's alone
    case $file in /*) $user test -r "$file" || { echo "user 65534 cannot read $file: skipped"; exit 77; } ;; esac
done
exec $user env XDG_RUNTIME_DIR= sh -c 'ulimit -f "$0" && exec "$@"' "$size" "$@"
