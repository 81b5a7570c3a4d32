# Sourced by ./strata and ./check, which set `top` to the clone: finds a Python and leaves .venv
# ready. POSIX sh; the environment itself is made by environment.py.
# shellcheck shell=sh

# shellcheck disable=SC2154
set_up() { # [--dev]
    "$top/.venv/bin/python" -sE "$top/.ci/environment.py" ready "$@" 2>/dev/null && return
    base=$(find_python) || exit 1
    "$base" -sE "$top/.ci/environment.py" make "$@" || exit
}

find_python() {
    found='' too_old='' bare=''
    for name in python3.13 python3.12 python3.11 python3.14 python3 python; do
        found=$(command -v "$name") || continue
        "$found" -c '' 2>/dev/null || continue # a version switcher's stub, say
        if ! "$found" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            too_old=${too_old:-$found}
        elif ! "$found" -c 'import ensurepip, venv' 2>/dev/null; then
            bare=${bare:-$found}
        else
            printf '%s\n' "$found"
            return
        fi
    done
    explain_python >&2
    return 1
}

explain_python() {
    if [ -n "$bare" ]; then
        printf '%s has no venv module, which Strata needs.\n' "$bare"
        printf 'Install it (Debian, Ubuntu: apt install python3-venv) and run this again.\n'
        return
    fi
    if [ -n "$too_old" ]; then
        version=$("$too_old" --version 2>&1)
        printf 'Strata needs Python 3.11 or newer; found only %s (%s).\n' "$too_old" "$version"
    else
        printf 'Strata needs Python 3.11 or newer; none was found.\n'
    fi
    printf 'Install one (Debian, Ubuntu: apt install python3 python3-venv; Fedora: dnf install '
    printf 'python3; macOS: brew install python) and run this again.\n'
}
