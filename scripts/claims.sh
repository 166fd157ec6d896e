#!/usr/bin/env bash
# Measures what is published of single-pass downsampling and judges it: the runs that
# scripts/claims.py asks for, then its table. Builds mipbench first unless --mipbench names one.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=claims
# shellcheck source=scripts/measuring.bash
. "$root/scripts/measuring.bash"
scratch=
gpu=1

usage() {
    cat <<'END'
usage: scripts/claims.sh [--yes] [--mipbench FILE] [--runs N] [--out DIR] [-- OPTION...]

  --out DIR        where the set goes (default: results/claims-<utc>)
  --runs N         separate runs of what is compared across runs (default: 5; a software device: 3)
  --mipbench FILE  a built mipbench (default: build it in build/)
  --yes            install missing packages without asking
  OPTION           passed to every run, such as --device
  --help           this text

The set: the JSON of each run, and claims.md, the page of doc/. What a build or a device cannot do,
or does wrong, is said, and its claim is not measured. A software device gets small sizes. Keep the
device free of other work meanwhile.
Exit: 0; that of the first mipbench that broke off; 2 usage; that of scripts/claims.py.
END
}

# One run; its JSON is kept under the given name. A row that is wrong (exit 1), a variant that
# the device cannot do (5) or the build does not know (2) leaves its claim open and no more.
measure() {
    local name=$1 status=0
    shift
    echo "claims: $name"
    "$mipbench" "$@" "${options[@]}" --images none -q -o "$scratch/run" \
        --json "$out/$name.json" >"$out/$name.txt" 2>"$scratch/errors" || status=$?
    rm -rf "$scratch/run"
    cat "$scratch/errors" >&2
    case $status in
    0) ;;
    1 | 2 | 5) echo "claims: $name: not measured in full (mipbench: exit $status)" >&2 ;;
    *) exit "$status" ;;
    esac
    [ -s "$out/$name.txt" ] || rm -f "$out/$name.txt"
}

# Whether the device is a GPU. Without a device, or with an option that is wrong by itself, nothing
# is measured at all.
find_gpu() {
    "$mipbench" pattern:noise:16x16 "${options[@]}" --images none --no-roofline -n 1 -q \
        -s compute -o "$scratch/run" --json "$scratch/probe.json" >"$scratch/probe.txt" || exit
    rm -rf "$scratch/run"
    ! grep -q '"type":[[:space:]]*"cpu"' "$scratch/probe.json" || gpu=0
}

measure_all() {
    local size=4096x4096 name often words i
    if [ "$gpu" = 0 ]; then
        size=512x512
        n_runs=${n_runs:-3}
    fi
    "$root/scripts/claims.py" --commands >"$scratch/commands"
    while IFS=$'\t' read -r name often words <&3; do
        read -ra words <<<"$words"
        if [ "$often" = once ]; then
            measure "$name" "pattern:noise:$size" "${words[@]}"
            continue
        fi
        for ((i = 1; i <= ${n_runs:-5}; i++)); do
            measure "$name-$i" "pattern:noise:$size" "${words[@]}"
        done
    done 3<"$scratch/commands"
}

main() {
    parse_options "$@"
    out=${out:-$root/results/claims-$(date -u +%Y%m%dT%H%M%SZ)}
    ! compgen -G "$out/*.json" >/dev/null || fail_usage "--out: $out holds results already"
    [ -n "$mipbench" ] || build >&2
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    find_gpu
    mkdir -p "$out"
    measure_all
    "$root/scripts/claims.py" --mipbench "$mipbench" "$out" -o "$out/claims.md"
    cat "$out/claims.md"
    echo "claims: the set is in $out"
}

main "$@"
