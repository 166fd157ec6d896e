#!/usr/bin/env bash
# Builds mipbench and benchmarks the given images, or the bundled ones. Asks before it installs
# missing packages (scripts/setup.sh). Works from any folder; results go to ./results unless an
# output folder is given. Prints the path of the HTML report.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${MIPBENCH_BUILD_DIR:-$root/build}
setup_options=()
images=()
options=()

usage() {
    cat <<'END'
usage: scripts/run.sh [--yes] [IMAGE...] [-- OPTION...]

  IMAGE     a PNG, BMP, TGA, PNM, PFM or HDR file, or pattern:NAME:WxH (default: tests/data)
  OPTION    passed to mipbench, see mipbench --help
  --yes     install missing packages without asking
  --help    this text

Exit: that of mipbench; 2 usage, 6 if a package is missing or the build fails.
Environment: MIPBENCH_BUILD_DIR, where to build (default: build, beside scripts).
END
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
            return
            ;;
        -*)
            echo "run: error: unknown option '$1'; options for mipbench go after --" >&2
            exit 2
            ;;
        *) images+=("$1") ;;
        esac
        shift
    done
}

configure_and_compile() {
    if ! [ -f "$build_dir/build.ninja" ]; then
        # Warnings are errors for developers (scripts/test.sh); a newer compiler with a new
        # warning must not keep a user from running the program.
        meson setup --buildtype=release -Dwerror=false "$build_dir" "$root" || return
    fi
    meson compile -C "$build_dir" mipbench:executable
}

# Shows the compiler's output only if it fails.
build() {
    mkdir -p "$build_dir"
    local log=$build_dir/build.log
    echo "run: building in $build_dir"
    if ! configure_and_compile >"$log" 2>&1; then
        cat "$log"
        echo "run: error: the build failed; its output is above and in $log"
        exit 6
    fi
}

main() {
    parse_options "$@"
    "$root/scripts/setup.sh" "${setup_options[@]}" || exit 6
    build >&2
    if [ ${#images[@]} -eq 0 ]; then
        images=("$root"/tests/data/*.png "$root"/tests/data/*.hdr)
    fi
    exec "$build_dir/mipbench" "${images[@]}" --report "${options[@]}"
}

main "$@"
