#!/usr/bin/env bash
# Measures a reference set: the ruler's self-test, the standard sizes in separate runs, every
# condition, and every variant. Builds mipbench first unless --mipbench names one.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=reference
# shellcheck source=scripts/measuring.bash
. "$root/scripts/measuring.bash"
selftest_options=()
# Each of spd's parameters at each value, the others at what they are best at, and what AMD
# publishes; all combinations of them are some hundreds.
spd=(-s spd -s spd:wave=quad -s spd:wave=off -s spd:load=texel -s spd:load=sampler
    -s spd:wave=quad:load=texel -s spd:wave=off:order=linear -s spd:wave=off:lds=split
    -s spd:wave=off:lds=packed -s spd:lds=split -s spd:lds=packed -s spd:fp16=on
    -s spd:fp16=on:wave=quad -s spd:fp16=on:wave=off -s spd:counter=host -s spd:source=separate
    -s spd:parts=no-tail -s spd:parts=tiles)

usage() {
    cat <<'END'
usage: scripts/reference.sh [--yes] [--mipbench FILE] [--runs N] [--out DIR] [-- OPTION...]

  --out DIR        where the set goes (default: results/reference-<utc>)
  --runs N         separate runs of the standard sizes (default: 5; a software device: 1)
  --mipbench FILE  a built mipbench (default: build it in build/)
  --yes            install missing packages without asking
  OPTION           passed to every run, such as --device
  --help           this text

The set: selftest.txt; run-1.json to run-N.json, standard sizes, hot and cold, latency;
modes.json, throughput and overlap, and the split by level; variants.json, every variant of every
strategy. A software device gets small sizes. Keep the device free of other work meanwhile.
Exit: 0; that of the first mipbench that failed, where a failed self-test lets the rest go on;
2 usage.
END
}

# One run; its JSON is kept under the given name.
measure() {
    local name=$1
    shift
    echo "reference: $name"
    "$mipbench" "$@" "${options[@]}" --images none -q -o "$out/.run" --json "$out/$name.json" \
        >"$out/$name.txt"
    rm -rf "$out/.run"
}

# Those of the options that the self-test knows; each with its value in a word of its own or not.
pick_selftest_options() {
    local i
    for ((i = 0; i < ${#options[@]}; i++)); do
        case ${options[i]} in
        -d | --device | --l2-bytes | --seed)
            selftest_options+=("${options[@]:i:2}")
            i=$((i + 1))
            ;;
        -d* | --device=* | --l2-bytes=* | --seed=* | --validate)
            selftest_options+=("${options[i]}")
            ;;
        esac
    done
}

main() {
    parse_options "$@"
    pick_selftest_options
    [ -n "$mipbench" ] || build >&2
    out=${out:-$root/results/reference-$(date -u +%Y%m%dT%H%M%SZ)}
    mkdir -p "$out"
    local input=pattern:noise:4096x4096
    local sizes=256x256,1024x1024,2048x2048,4096x4096,1920x1080,4095x4095
    if "$mipbench" pattern:noise:16x16 "${options[@]}" --images none --no-roofline -n 1 -q \
        -o "$out/.run" --json - 2>/dev/null | grep -q '"type":[[:space:]]*"cpu"'; then
        input=pattern:noise:512x512
        sizes=256x256,512x512,501x333
        n_runs=${n_runs:-1}
    fi
    n_runs=${n_runs:-5}
    rm -rf "$out/.run"
    echo "reference: self-test"
    local status=0
    "$mipbench" --self-test "${selftest_options[@]}" | tee "$out/selftest.txt" || status=$?
    [ "$status" -eq 0 ] ||
        echo "reference: the self-test failed: the figures cannot be trusted" >&2
    for ((i = 1; i <= n_runs; i++)); do
        measure "run-$i" "$input" --size "$sizes" --cache both
    done
    measure modes "$input" --size "$sizes" --cache both --mode all --per-level \
        -n 160
    measure variants "$input" --size "$sizes" --cache both -n 160 \
        -s blit -s 'raster:*' -s 'compute:*' -s 'subgroup:*' -s 'spd-metal:*' \
        -s spd-tree -s spd-tree:wave=off -s spd-tree:carry=slots -s spd-tree:shape=strips "${spd[@]}"
    echo "reference: the set is in $out"
    return "$status"
}

main "$@"
