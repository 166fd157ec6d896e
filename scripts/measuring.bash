# shellcheck shell=bash disable=SC2034,SC2154 # shares variables with whom it is sourced by
# Sourced by the scripts that measure sets: their options, and building mipbench. They have set
# `program` and `root`, and define usage().
mipbench=
out=
n_runs= # as given
setup_options=()
options=() # for every run of mipbench
known_parts=() # of a set; all of them where none is named
parts=()

fail_usage() {
    echo "$program: error: $1" >&2
    exit 2
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --yes) setup_options+=(--yes) ;;
        --out | --runs | --mipbench)
            [ $# -ge 2 ] || fail_usage "$1 needs a value"
            case $1 in
            --out) out=$2 ;;
            --runs)
                [[ $2 =~ ^[1-9][0-9]*$ ]] || fail_usage "--runs: '$2' is not a number above 0"
                n_runs=$2
                ;;
            --mipbench) mipbench=$2 ;;
            esac
            shift
            ;;
        --help)
            usage
            exit 0
            ;;
        --)
            shift
            options=("$@")
            break
            ;;
        *)
            [[ " ${known_parts[*]} " == *" $1 "* ]] || fail_usage "unknown argument '$1'"
            parts+=("$1")
            ;;
        esac
        shift
    done
    [ "${#parts[@]}" -gt 0 ] || parts=("${known_parts[@]}")
}

build() {
    "$root/scripts/setup.sh" "${setup_options[@]}"
    [ -f "$root/build/build.ninja" ] ||
        meson setup --buildtype=release -Dwerror=false "$root/build" "$root"
    meson compile -C "$root/build" mipbench:executable
    mipbench=$root/build/mipbench
}
