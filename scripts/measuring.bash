# shellcheck shell=bash disable=SC2034,SC2154 # shares variables with the script that sources it
# Sourced by the scripts that measure sets, for their options and to build mipbench. They set `program`
# and `root`, and define usage().
mipbench=
out=
value_options=(out mipbench) # --out DIR sets $out, and so on; a script adds its own
setup_options=()
options=()     # for every run of mipbench
known_parts=() # words that may be given; all of them where none is; any where this is empty
parts=()

fail_usage() {
    echo "$program: error: $1" >&2
    exit 2
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --yes) setup_options+=(--yes) ;;
        --help)
            usage
            exit 0
            ;;
        --)
            shift
            options=("$@")
            break
            ;;
        --*)
            [[ " ${value_options[*]} " == *" ${1#--} "* ]] || fail_usage "unknown argument '$1'"
            [ $# -ge 2 ] || fail_usage "$1 needs a value"
            printf -v "${1#--}" %s "$2"
            shift
            ;;
        *)
            [[ ${#known_parts[@]} -eq 0 || " ${known_parts[*]} " == *" $1 "* ]] ||
                fail_usage "unknown argument '$1'"
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

# True if the options choose a software device, which gets small sizes.
is_software() {
    local is=0
    "$mipbench" pattern:noise:16x16 "${options[@]}" --images none --no-roofline -n 1 -q \
        -o "$out/.run" --json - 2>/dev/null | grep -q '"type":[[:space:]]*"cpu"' || is=$?
    rm -rf "$out/.run"
    return "$is"
}
