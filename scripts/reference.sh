#!/usr/bin/env bash
# Measures a reference set, in parts: the self-test of the instrument, the standard sizes in separate runs,
# every condition, every variant, every format. Builds mipbench first unless --mipbench names one.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=reference
# shellcheck source=scripts/measuring.bash
. "$root/scripts/measuring.bash"
value_options+=(runs)
runs=auto # or how many
selftest_options=()
failed=0 # the first mipbench that said that a row is wrong, or the device unfit
formats=(rgba8 rgba8-srgb r8 rg8 rgb10a2 r16f rg16f rgba16f r32f rg32f rgba32f rg11b10f)
known_parts=(selftest runs modes variants shapes "${formats[@]}")
# Each of spd's parameters at each value, the others at what they are best at, and what AMD
# publishes; all combinations of them are some hundreds.
spd=(-s spd -s spd:wave=quad -s spd:wave=off -s spd:load=texel -s spd:load=sampler
    -s spd:wave=quad:load=texel -s spd:wave=off:order=linear -s spd:wave=off:lds=split
    -s spd:wave=off:lds=packed -s spd:lds=split -s spd:lds=packed -s spd:fp16=on
    -s spd:fp16=on:wave=quad -s spd:fp16=on:wave=off -s spd:counter=host -s spd:source=separate
    -s spd:parts=no-tail -s spd:parts=tiles)
# What spd-tree is compared with: the best others that are exact, and spd, which drops rows.
exact=(-s compute -s subgroup:npot=box -s spd -s spd-tree)

usage() {
    cat <<END
usage: scripts/reference.sh [--yes] [--mipbench FILE] [--runs N] [--out DIR] [PART...] [-- OPTION...]

  --out DIR        where the set goes (default: results/reference-<utc>); it may hold other parts
  --runs N         separate runs of the standard sizes (default: 5; a software device: 1)
  --mipbench FILE  a built mipbench (default: build it in build/)
  --yes            install missing packages without asking
  PART             what to measure (default: all)
  OPTION           passed to every run, such as --device
  --help           this text

  selftest   selftest.txt
  runs       run-1.json to run-N.json: standard sizes, hot and cold, latency
  modes      modes.json: throughput and overlap, and the split by level
  variants   variants.json: every variant of every strategy
  shapes     small, odd and large sizes, a depth pyramid, an update, sRGB photos, a cube
  FORMAT     format-FORMAT-avg.json and -max.json: spd-tree and what it is compared with, cold;
             ${formats[*]}

JSON is kept without its white space. A software device gets small sizes. Keep the device free of
other work meanwhile.
Exit: 0; 1, at the end, if a row is wrong or the self-test failed; at once that of a mipbench that
failed otherwise; 2 usage.
END
}

# One run; its JSON is kept under the given name.
measure() {
    local name=$1 status=0
    shift
    echo "reference: $name"
    "$mipbench" "$@" "${options[@]}" --images none -q -o "$out/.run" --json "$out/.json" \
        >"$out/$name.txt" || status=$?
    if [ -f "$out/.json" ]; then
        # In strings both are escaped. Where it was measured concerns nobody.
        { tr -d '\t\n' <"$out/.json" && echo; } |
            sed 's/"folder":"[^"]*"/"folder":"."/' >"$out/$name.json"
    fi
    rm -rf "$out/.run" "$out/.json"
    case $status in
    0) ;;
    1)
        echo "reference: $name: a row is wrong" >&2
        failed=1
        ;;
    *) exit "$status" ;;
    esac
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

# Sizes by what they are of. Of a software device nothing larger than what it verifies in seconds.
choose_sizes() {
    if is_software; then
        input=pattern:noise:512x512
        standard=256x256,512x512,501x333
        pairs=256x256,255x255,120x68,120x69,100x100,50x33
        small=100x70,127x127,128x128
        large=640x512,769x437
        pyramid=384x216
        rect=64,64,64,64
        [ "$runs" != auto ] || runs=1
    else
        input=pattern:noise:4096x4096
        standard=256x256,1024x1024,2048x2048,4096x4096,1920x1080,4095x4095
        pairs=4096x4096,4095x4095,2048x2048,1920x1080,1921x1081,1000x1000,500x333,255x255
        small=100x70,255x255,1023x1023,2047x2047,3071x3071,3840x2160
        large=8192x8192,12289x7001
        pyramid=3840x2160
        rect=1024,1024,512,512
        [ "$runs" != auto ] || runs=5
    fi
}

measure_selftest() {
    "$mipbench" --self-test "${selftest_options[@]}" | tee "$out/selftest.txt" && return
    echo "reference: the self-test failed: the figures cannot be trusted" >&2
    failed=1
}

measure_shapes() {
    local of=(--cache cold -n 21) photo=$root/tests/data/astronaut.png
    measure small "$input" --size "$small" "${of[@]}" "${exact[@]}"
    measure large "$input" --size "$large" "${of[@]}" -s compute -s spd-tree
    measure depth "$input" --size "$pyramid" -f r32f -r max "${of[@]}" "${exact[@]}" \
        -s spd-tree:source=separate -s spd-tree:source=depth
    measure rect "$input" --rect "$rect" "${of[@]}" "${exact[@]}"
    measure photo-rgba8 "$photo" --size "$pairs" -f rgba8 "${of[@]}" "${exact[@]}"
    measure photo-rgba8-srgb "$photo" --size "$pairs" -f rgba8-srgb "${of[@]}" "${exact[@]}"
    measure cube "$input" --size 512x512 --cube "${of[@]}" "${exact[@]}"
}

measure_part() {
    local i
    case $1 in
    selftest) measure_selftest ;;
    runs)
        for ((i = 1; i <= runs; i++)); do
            measure "run-$i" "$input" --size "$standard" --cache both -n 40
        done
        ;;
    modes) measure modes "$input" --size "$standard" --cache both --mode all --per-level -n 21 ;;
    variants)
        measure variants "$input" --size "$standard" --cache both -n 21 \
            -s blit -s 'raster:*' -s 'compute:*' -s 'subgroup:*' -s 'spd-metal:*' -s spd-tree \
            -s spd-tree:wave=off -s spd-tree:shape=strips "${spd[@]}"
        ;;
    shapes) measure_shapes ;;
    *)
        for i in avg max; do
            measure "format-$1-$i" "$input" --size "$pairs" -f "$1" -r "$i" --cache cold -n 21 \
                "${exact[@]}"
        done
        ;;
    esac
}

main() {
    parse_options "$@"
    [[ $runs =~ ^([1-9][0-9]*|auto)$ ]] || fail_usage "--runs: '$runs' is not a number above 0"
    pick_selftest_options
    [ -n "$mipbench" ] || build >&2
    out=${out:-$root/results/reference-$(date -u +%Y%m%dT%H%M%SZ)}
    mkdir -p "$out"
    choose_sizes
    local part
    for part in "${parts[@]}"; do
        measure_part "$part"
    done
    echo "reference: the set is in $out"
    return "$failed"
}

main "$@"
