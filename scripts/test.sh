#!/usr/bin/env bash
# Runs all checks in two builds with warnings as errors: a normal one, and one compiled by clang with
# AddressSanitizer and UndefinedBehaviorSanitizer. Tests of suite 'plain' run only in the first, those
# of suite 'sanitized' only in the second (in both with --full), all others in both. Without a GPU they
# run on software Vulkan. The last line is "N passed, N failed[, N skipped]", with each
# of the two builds counted as one check.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${MIPBENCH_BUILD_ROOT:-$root}
setup_options=(--tests)
cross_options=(--test)
n_passed=0
n_failed=0
n_skipped=0

usage() {
    cat <<'END'
usage: scripts/test.sh [--full] [--yes]

  --full    everything, which takes hours: every variant at every size and subgroup size, every
            fault, millions of mutated files, the tests themselves tried by edited sources, and
            the builds for Windows and aarch64, run under wine and qemu (scripts/cross.sh)
  --yes     install missing packages without asking
  --help    this text

Environment: MIPBENCH_BUILD_ROOT, where build-test and build-sanitize are made (default: beside
scripts).
END
}

parse_options() {
    for option in "$@"; do
        case $option in
        --full) export MB_TEST_FULL=1 ;;
        --yes)
            setup_options+=(--yes)
            cross_options+=(--yes)
            ;;
        --help)
            usage
            exit 0
            ;;
        *)
            echo "test: error: unknown option '$option'" >&2
            exit 2
            ;;
        esac
    done
}

heading() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

passed() { n_passed=$((n_passed + 1)); }

failed() {
    n_failed=$((n_failed + 1))
    echo "FAILED: $*"
}

# Turns ninja's "[done/all] step" lines into ten lines of progress.
show_progress() {
    awk -F'[][/]' '/^\[[0-9]+\/[0-9]+\]/ && int(10 * $2 / $3) > tenths {
        tenths = int(10 * $2 / $3)
        printf "%d%% ", 10 * tenths
        fflush()
    }
    END { print "" }'
}

# True if the build folder was configured with clang: meson keeps the compiler when it reconfigures.
is_of_clang() {
    sed -n '/^rule c_COMPILER$/{n;p;q}' "$1/build.ninja" | grep -q '[ /]clang'
}

# build NAME SETUP_OPTION...: configures build-NAME and compiles the program there; with --full it
# compiles everything (otherwise `meson test` compiles what tests need). Starts afresh if CC is clang
# and the folder was configured with another compiler.
build() {
    local name=$1 dir=$build_root/build-$1 target=mipbench
    local log=$dir/build.log
    shift
    heading "build $name"
    if [ "${CC-}" = clang ] && [ -f "$dir/build.ninja" ] && ! is_of_clang "$dir"; then
        rm -rf "$dir"
    fi
    mkdir -p "$dir"
    if [ -n "${MB_TEST_FULL-}" ]; then
        target=all
    fi
    local setup=(meson setup -Dwerror=true "$@")
    if [ -f "$dir/build.ninja" ]; then
        setup+=(--reconfigure)
    fi
    if "${setup[@]}" "$dir" "$root" >"$log" 2>&1 &&
        ninja -C "$dir" "$target" 2>&1 | tee -a "$log" | show_progress; then
        passed
    else
        cat "$log"
        failed "build $name"
        return 1
    fi
}

# Prints "passed failed skipped" of a meson testlog.json (one JSON object a line).
count_results() {
    python3 - "$1" <<'END'
import json, sys
counts = {"passed": 0, "failed": 0, "skipped": 0}
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        result = json.loads(line)["result"]
        kind = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
        counts[kind.get(result, "failed")] += 1
print(counts["passed"], counts["failed"], counts["skipped"])
END
}

# run_suite NAME MESON_TEST_OPTION...: run all tests of build-NAME and add up their results.
run_suite() {
    local name=$1 dir=$build_root/build-$1 status=0
    shift
    heading "tests in build $name"
    rm -f "$dir/meson-logs/testlog.json"
    if [ -n "${MB_TEST_FULL-}" ]; then
        set -- --timeout-multiplier 0 "$@" # sweeps and mutants take more than the hour of a hang
    fi
    meson test -C "$dir" --print-errorlogs "$@" </dev/null || status=$?
    local counts=(0 0 0)
    if [ -f "$dir/meson-logs/testlog.json" ]; then
        read -r -a counts < <(count_results "$dir/meson-logs/testlog.json")
    fi
    n_passed=$((n_passed + counts[0]))
    n_failed=$((n_failed + counts[1]))
    n_skipped=$((n_skipped + counts[2]))
    if [ $((counts[0] + counts[1])) -eq 0 ]; then
        failed "no test ran in build $name"
    elif [ $status -ne 0 ] && [ "${counts[1]}" -eq 0 ]; then
        failed "meson test ended with status $status in build $name"
    fi
}

make_library() { cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC "$@"; }

# Sets `quick_codegen` to a library, made in a folder, that makes llvmpipe compile kernels faster;
# to nothing with --full.
make_quick_codegen() {
    quick_codegen=()
    if [ -z "${MB_TEST_FULL-}" ]; then
        quick_codegen=("$1/libquick_codegen.so")
        make_library -o "${quick_codegen[0]}" "$root/tests/gpu/quick_codegen.c"
    fi
}

run_plain() {
    make_quick_codegen "$build_root/build-test"
    if [ ${#quick_codegen[@]} -eq 0 ]; then
        run_suite test
    else
        LD_PRELOAD=${quick_codegen[0]} run_suite test --no-suite sanitized
    fi
}

# Makes the library that sanitizer runs preload (tests/sanitize/preload.c) and those that it loads.
make_preload() {
    local dir=$1
    make_library -o "$dir/liballocate.so" "$root/tests/sanitize/allocate.c"
    make_library -DMB_DRIVER="\"$dir/libdriver.so\"" -o "$dir/libpreload.so" \
        "$root/tests/sanitize/preload.c"
    # Only for lavapipe: other drivers may load other versions of the libraries that it needs.
    rm -f "$dir/libdriver.so"
    case ${VK_DRIVER_FILES-} in */lvp_icd.*) ;; *) return ;; esac
    make_quick_codegen "$dir"
    make_library -o "$dir/libdriver.so" -x c /dev/null -x none -Wl,--no-as-needed \
        "${quick_codegen[@]}" "$dir/liballocate.so" -l:libvulkan_lvp.so 2>/dev/null || true
}

# A preloaded library comes before ASan, hence verify_asan_link_order=0. fast_unwind_on_malloc=0 would
# hang in the driver's code generator.
run_sanitized() {
    local dir=$build_root/build-sanitize
    make_preload "$dir"
    local suppressions=$root/tests/sanitize/lsan.supp
    export LSAN_OPTIONS=suppressions=$suppressions:print_suppressions=0
    # A quarantine of 4 MB instead of 256: keeping the driver's freed images took two thirds of the
    # time, and blocks as large as those are unmapped when they are freed.
    export ASAN_OPTIONS=verify_asan_link_order=0:detect_stack_use_after_return=1:quarantine_size_mb=4
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    # Reuses the kernels that the driver compiled for the other build.
    ln -sfn "$build_root/build-test/tests/gpu/shaders-256" "$dir/tests/gpu/shaders-256"
    # Some tests then do less of what is random or repetitive.
    export MB_TEST_QUICK=1
    LD_PRELOAD=$dir/libpreload.so run_suite sanitize --no-suite plain
    unset LSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS MB_TEST_QUICK
}

# Builds for another system and runs the tests there.
run_cross() {
    heading "$1"
    if "$root/scripts/cross.sh" "$1" "${cross_options[@]}"; then
        passed
    else
        failed "$1"
    fi
}

# Without a GPU the loader need not try GPU drivers: this saves a seventh of the time of tests that
# start the program.
choose_driver() {
    local software=(/usr/share/vulkan/icd.d/lvp_icd.*.json) gpus=(/dev/dri/renderD* /dev/nvidia[0-9]*)
    if [ -z "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ] && [ -e "${software[0]}" ] &&
        ! [ -e "${gpus[0]}" ] && ! [ -e "${gpus[1]}" ]; then
        export VK_DRIVER_FILES=${software[0]} VK_ICD_FILENAMES=${software[0]}
    fi
}

# Tests share the kernels that the driver compiles, and leave the user's cache alone. The folder is that
# of tests with 256-bit vectors (tests/gpu/meson.build), llvmpipe's default with AVX.
share_cache() {
    if grep -qw avx /proc/cpuinfo 2>/dev/null; then
        export XDG_CACHE_HOME=$build_root/build-test/tests/gpu/shaders-256
    fi
}

main() {
    parse_options "$@"
    # Debian's Python modules belong to /usr/bin/python3; PATH may have another python3.
    export PATH=/usr/bin:$PATH
    # Page faults are expensive in virtual machines, and shader compilers spend half their time in
    # malloc: let glibc use huge pages and keep them. Tests take 12 % to 50 % less time.
    local malloc=glibc.malloc
    GLIBC_TUNABLES=$malloc.hugetlb=1:$malloc.top_pad=33554432
    GLIBC_TUNABLES+=:$malloc.trim_threshold=1000000000:$malloc.mmap_threshold=1000000000
    export GLIBC_TUNABLES
    "$root/scripts/setup.sh" "${setup_options[@]}"
    choose_driver
    share_cache
    if build test; then
        run_plain
    fi
    if command -v ld.lld >/dev/null; then
        export CC_LD=lld
    fi
    if CC=clang CXX=clang++ build sanitize -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debug; then
        run_sanitized
    fi
    if [ -n "${MB_TEST_FULL-}" ]; then
        run_cross windows
        run_cross aarch64
    fi
    heading "all"
    local skipped=
    if [ $n_skipped -ne 0 ]; then
        skipped=", $n_skipped skipped"
    fi
    echo "$n_passed passed, $n_failed failed$skipped"
    [ $n_failed -eq 0 ]
}

main "$@"
