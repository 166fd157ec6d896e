#!/usr/bin/env bash
# Measures the kernels that vendors and engines publish, unmodified, beside ours. Their files come
# from checkouts that the user made: kernels/NAME/SOURCE has the commit and each file's SHA-256.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=published
# shellcheck source=scripts/measuring.bash
. "$root/scripts/measuring.bash"
value_options+=(sizes compile kernels)
sizes=
compile=
kernels=
staged= # a folder for each kernel: its manifests, and beside them the published files or modules

usage() {
    cat <<END
usage: scripts/published.sh [OPTIONS] DIR... [-- OPTION...]
       scripts/published.sh --compile DIR_OUT DIR...
       scripts/published.sh [OPTIONS] --kernels DIR_OUT [-- OPTION...]
       scripts/published.sh

  DIR              a checkout of a repository; without any, prints how to make them
  --compile DIR    only compile, into a new folder that needs no checkouts and no glslang
  --kernels DIR    measure such a folder
  --sizes WxH,...  sizes (default: $large; small ones on a software device)
  --out DIR        where results go (default: results/published-<utc>)
  --mipbench FILE  a built mipbench (default: build it in build/)
  --yes            install missing packages without asking
  OPTION           passed to every run, such as --device
  --help           this text

Writes results.json, with rgba8 averages and r32f maxima of noise and of a gradient; a table and a
CSV file of each; and the chart. Kernels whose repository is not given are left out, and so are
those that do not compile or that end the program here. What is wrong is shown: it is a result.
Exit: 0; 2 usage; 3 a file is missing or not as published; that of a mipbench that failed otherwise.
END
}

large=256x256,1024x1024,2048x2048,4096x4096,8192x8192,1920x1080,3840x2160
large+=,4095x4095,1921x1081,1000x1000,255x255,1024x512
small=256x256,512x512,1920x1080,255x255,241x135,128x32

fail_input() {
    echo "published: error: $1" >&2
    exit 3
}

# The value of a key of a SOURCE.
value_of() {
    sed -n "s/^$1 //p" "$2"
}

print_clones() {
    local source folder paths
    echo "mkdir -p published"
    for source in "$root"/kernels/*/SOURCE; do
        folder=published/$(basename "$(value_of repository "$source")")
        mapfile -t paths < <(value_of sha256 "$source" | cut -d' ' -f2)
        echo "git clone -q --filter=blob:none --no-checkout $(value_of repository "$source") $folder"
        echo "git -C $folder checkout -q $(value_of commit "$source") -- ${paths[*]}"
    done
    echo "scripts/published.sh published/*"
}

# The checkout that has any file of a SOURCE; nothing where none has.
find_checkout() {
    local dir path
    for dir in "${parts[@]}"; do
        while read -r _ path _; do
            if [ -f "$dir/$path" ]; then
                echo "$dir"
                return
            fi
        done < <(value_of sha256 "$1")
    done
}

is_sum() {
    [ "$(sha256sum <"$2")" = "$1  -" ]
}

# Copies a kernel's folder and the published files that it names.
stage() {
    local folder=$1 dir sum path name target
    local source=$folder/SOURCE
    dir=$(find_checkout "$source")
    if [ -z "$dir" ]; then
        echo "published: ${folder##*/}: no checkout of $(value_of repository "$source"): left out" >&2
        return
    fi
    cp -R "$folder" "$staged"
    while read -r sum path name; do
        [ -f "$dir/$path" ] || fail_input "$dir/$path is missing"
        target=$staged/${folder##*/}/${name:-${path##*/}}
        mkdir -p "${target%/*}"
        cp "$dir/$path" "$target"
        # Git may have written CRLF at the end of lines.
        is_sum "$sum" "$target" || tr -d '\r' <"$dir/$path" >"$target"
        is_sum "$sum" "$target" || fail_input \
            "$dir/$path is not that of the commit; run: git -C $dir checkout $(value_of commit "$source") -- $path"
    done < <(value_of sha256 "$source")
}

stage_all() {
    local source
    staged=$(mktemp -d)
    trap 'rm -rf "$staged"' EXIT
    for source in "$root"/kernels/*/SOURCE; do
        stage "${source%/SOURCE}"
    done
    [ -n "$(ls "$staged")" ] || fail_input "none of the folders is a checkout that is asked for"
}

# Manifests and their modules alone go to the folder: no published file.
compile_all() {
    local manifest
    for manifest in "$staged"/*/*.json; do
        if ! "$mipbench" kernel compile "$manifest" >/dev/null; then
            echo "published: $(basename "$manifest" .json): left out" >&2
            rm "$manifest"
        fi
    done
    find "$staged" -type f ! -name '*.json' ! -name '*.spv' ! -name SOURCE -delete
    find "$staged" -type d -empty -delete
    mkdir -p "$compile"
    cp -R "$staged"/* "$compile"
    echo "published: measure with: scripts/published.sh --kernels $compile"
}

# Each kernel alone, so that one that does not compile, hangs or crashes the driver costs no other.
# Those that can be run go into `able`.
try_all() {
    local manifest name status
    able=()
    for manifest in "$staged"/*/*.json; do
        name=$(basename "$manifest" .json)
        status=0
        "$mipbench" pattern:noise:256x256 --kernel "$manifest" -s "$name:*" "$@" "${options[@]}" \
            -n 1 --no-roofline --images none -q -o "$out/.run" >/dev/null 2>"$out/.said" || status=$?
        case $status in
        0 | 1 | 5) able+=(--kernel "$manifest" -s "$name:*") ;;
        *) echo "published: $name: left out, exit $status: $(tail -n 1 "$out/.said")" >&2 ;;
        esac
    done
    rm -rf "$out/.run" "$out/.said"
}

# One format and reduction; its JSON waits to be joined.
measure() {
    local name=$1 status=0
    shift
    echo "published: $name"
    try_all "$@"
    "$mipbench" "pattern:noise:$pattern" "pattern:gradient:$pattern" --size "$sizes" "${able[@]}" \
        -s spd -s spd-tree -s subgroup:npot=box "$@" "${options[@]}" --images none -o "$out/.run" \
        --json "$out/$name.json" --csv "$out/$name.csv" >"$out/$name.txt" || status=$?
    rm -rf "$out/.run"
    case $status in
    0 | 1 | 5) ;;
    *) exit "$status" ;;
    esac
}

choose_sizes() {
    if is_software; then
        pattern=512x512
        sizes=${sizes:-$small}
    else
        pattern=4096x4096
        sizes=${sizes:-$large}
    fi
}

measure_all() {
    out=${out:-$root/results/published-$(date -u +%Y%m%dT%H%M%SZ)}
    mkdir -p "$out"
    choose_sizes
    measure rgba8-avg -f rgba8 -r avg
    measure r32f-max -f r32f -r max
    "$root/scripts/join_results.py" "$out/rgba8-avg.json" "$out/r32f-max.json" >"$out/results.json"
    rm "$out/rgba8-avg.json" "$out/r32f-max.json"
    "$root/scripts/plot.py" --mipbench "$mipbench" "$out/results.json" -o "$out" --only published
    echo "published: results are in $out"
}

main() {
    parse_options "$@"
    if [ -z "$kernels" ] && [ "${#parts[@]}" -eq 0 ]; then
        [ -z "$compile" ] || fail_usage "--compile needs checkouts"
        print_clones
        return
    fi
    [ -z "$kernels" ] || [ "${#parts[@]}" -eq 0 ] || fail_usage "--kernels takes no checkouts"
    [ -z "$compile" ] || [ ! -e "$compile" ] || fail_usage "--compile: $compile exists"
    staged=$kernels
    [ -n "$staged" ] || stage_all
    [ -n "$mipbench" ] || build >&2
    if [ -n "$compile" ]; then
        compile_all
    else
        measure_all
    fi
}

main "$@"
