#!/bin/sh
# Makes or renews .venv, the project's environment.
#
#   environment.sh lab      what a learner needs
#   environment.sh test     and what the tests need
#   environment.sh python   only prints the Python that would be used
#
# PYTHON names the Python; without it the first that fits is taken.
#
# .venv holds one note for each of the two levels: what was asked for when it was last
# completed. The same note: nothing to do. Another one: pip installs what has changed.
# No note, another place or another Python: made anew, as a half-made environment
# cannot be told from a good one. So both notes go before anything is installed.
set -eu
cd "$(dirname "$0")/.."
level=${1:-lab}
python=.venv/bin/python

# Prints the interpreter behind a command, outside of any environment; fails unless its
# version fits. A command can exist and not run: a version manager's shim does that.
base_of() {
    "$1" -c '
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(1)
print(sys._base_executable or sys.executable)' 2>/dev/null
}

choose_python() {
    unable=
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.13 python3.12 python3.11 python
    fi
    for candidate; do
        base=$(base_of "$candidate") || continue
        if "$base" -c 'import ensurepip, venv' 2>/dev/null; then
            echo "$base"
            return
        fi
        unable=${unable:-$base}
    done
    if [ -n "$unable" ]; then
        version=$("$unable" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "$unable cannot make environments: its modules venv and ensurepip" \
            "are missing. On Debian and Ubuntu they are in a package of their own:" \
            "sudo apt install python$version-venv" >&2
    elif [ -n "${PYTHON:-}" ]; then
        echo "PYTHON=$PYTHON does not run, or is not Python 3.11, 3.12 or 3.13." \
            "Name one that is: make lab PYTHON=/path/to/python3.12" >&2
    else
        echo "No Python 3.11, 3.12 or 3.13 was found. Install one (on Debian and" \
            "Ubuntu: sudo apt install python3 python3-venv), or say where it is:" \
            "make lab PYTHON=/path/to/python3.12" >&2
    fi
    return 1
}

note_for() {
    pwd
    cat pyproject.toml setup.py jupyter-config/*/* requirements/lab.txt | cksum
    [ "$1" = lab ] || cksum <requirements/test.txt
}

has_note() {
    [ -f ".venv/$1.note" ] && [ "$(cat ".venv/$1.note")" = "$(note_for "$1")" ]
}

# A note is kept only beside a Python that still runs, in the place where it was made,
# and is the one asked for: scripts and the editable install hold absolute paths.
trusted() {
    [ -f .venv/lab.note ] && [ "$(head -n 1 .venv/lab.note)" = "$(pwd)" ] || return 1
    base=$(base_of $python) || return 1
    [ -z "${PYTHON:-}" ] || [ "$(base_of "$PYTHON")" = "$base" ]
}

install() {
    $python -m pip install --disable-pip-version-check --no-input "$@"
}

case $level in
lab | test) ;;
python) choose_python; exit ;;
*) echo "usage: environment.sh lab | test | python" >&2 && exit 2 ;;
esac

if trusted; then
    has_note "$level" && exit
    echo "Renewing .venv"
else
    base=$(choose_python)
    [ ! -e .venv ] || echo ".venv is incomplete, or for another place or Python"
    echo "Making .venv with $("$base" --version) from $base: 2 GB, a few minutes"
    rm -rf .venv
    "$base" -m venv .venv
fi
rm -f .venv/lab.note .venv/test.note
install -r "requirements/$level.txt"
install --no-deps --no-build-isolation --editable .
[ "$level" = lab ] || note_for test >.venv/test.note
note_for lab >.venv/lab.note
