#!/usr/bin/env bash
# Builds mipbench for another system on Debian 12 or later: mipbench.exe by mingw-w64, or the
# program for aarch64. apt fetches what they need from the distribution into the build folder: sources
# of cJSON and libdeflate for Windows, arm64 packages for aarch64. Only scripts/setup.sh changes the
# host: it installs missing packages.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${MIPBENCH_BUILD_ROOT:-$root}
arm64_packages=(libc6-dev libcjson-dev libdeflate-dev libjpeg62-turbo-dev libmd-dev libvulkan-dev mesa-vulkan-drivers)
setup_options=()
runs_tests=false

usage() {
    cat <<'END'
usage: scripts/cross.sh windows|aarch64 [--test] [--yes]

Makes build-windows/mipbench/mipbench.exe, or build-aarch64/mipbench/mipbench.

  --test    also run it, on software Vulkan: every command under wine, or under qemu the suites
            unit and cli, some 20 minutes, and every strategy
  --yes     install missing packages without asking
  --help    this text

Environment: MIPBENCH_BUILD_ROOT, where the build folder is made (default: beside scripts).
END
}

parse_options() {
    target=${1:-}
    case $target in
    windows | aarch64) shift ;;
    --help) ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    for option in "$@"; do
        case $option in
        --test) runs_tests=true ;;
        --yes) setup_options+=(--yes) ;;
        --help)
            usage
            exit 0
            ;;
        *)
            echo "cross: error: unknown option '$option'" >&2
            exit 2
            ;;
        esac
    done
}

# Configures apt with the host's sources but its own lists and cache. `packages` is "deb" or "deb-src".
# Without the host's status file, apt treats every package as not installed.
configure_apt() {
    local packages=$1 architecture=$2
    mkdir -p apt/lists/partial apt/cache/archives/partial
    : >apt/status
    : >apt/apt.sources
    : >apt/apt.list
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*; do
        case $file in
        *'*') ;;
        *.sources) { sed "s/^Types:.*/Types: $packages/" "$file" && echo; } >>apt/apt.sources ;;
        *.list) [ ! -f "$file" ] || sed -n "s/^deb /$packages /p" "$file" >>apt/apt.list ;;
        esac
    done
    cat >apt/apt.conf <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "$(id -un)";
Dir::Etc::sourcelist "-";
Dir::Etc::sourceparts "$PWD/apt";
Dir::State::lists "$PWD/apt/lists";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt/cache";
END
    export APT_CONFIG=$PWD/apt/apt.conf
    apt-get -q update
}

# static_library NAME FOLDER SOURCE...: makes sysroot/lib/libNAME.a and its pkg-config file.
static_library() {
    local name=$1 folder=$2 source
    shift 2
    mkdir -p "objects/$name"
    for source in "$@"; do
        x86_64-w64-mingw32-gcc-posix -O2 -DNDEBUG -I"$folder" -c "$source" \
            -o "objects/$name/$(basename "$(dirname "$source")")-$(basename "$source" .c).o"
    done
    x86_64-w64-mingw32-ar rcs "sysroot/lib/lib$name.a" "objects/$name"/*.o
    describe "lib$name" "-L$PWD/sysroot/lib -l$name"
}

# describe NAME LIBS: makes the pkg-config file. These are system headers, whose warnings are not ours.
describe() {
    printf 'Name: %s\nDescription: %s\nVersion: 1.3\nLibs: %s\nCflags: -isystem%s\n' "$1" "$1" \
        "$2" "$PWD/sysroot/include" >"sysroot/lib/pkgconfig/$1.pc"
}

# The program opens the Vulkan loader at run time, so Vulkan, volk and stb need only headers: the
# host's, which are the same for all systems.
make_windows_sysroot() {
    configure_apt deb-src amd64
    (mkdir -p sources && cd sources && apt-get -q source cjson libdeflate)
    mkdir -p sysroot/include sysroot/lib/pkgconfig
    static_library cjson sources/cjson-*/ sources/cjson-*/cJSON.c
    static_library deflate sources/libdeflate-*/ sources/libdeflate-*/lib/{,x86/}*.c
    cp sources/cjson-*/cJSON.h sources/libdeflate-*/libdeflate.h sysroot/include
    ln -s /usr/include/{vulkan,vk_video,volk.h,volk.c,stb} sysroot/include
    describe vulkan ""
}

# Writes a script that runs aarch64 programs, with the aarch64 lavapipe unless VK_DRIVER_FILES is set.
# By default lavapipe on ARM filters 8-bit images in fixed point, with errors of up to 1.6 codes.
write_runner() {
    cat <<END
#!/bin/sh
: "\${VK_DRIVER_FILES=$PWD/sysroot/usr/share/vulkan/icd.d/lvp_icd.aarch64.json}"
export VK_DRIVER_FILES GALLIVM_PERF=no_aos_sampling
exec qemu-aarch64 -L '$PWD/sysroot' "\$@"
END
}

make_aarch64_sysroot() {
    local package
    configure_apt deb arm64
    apt-get -q -y --no-install-recommends --download-only install "${arm64_packages[@]}"
    mkdir -p sysroot
    for package in apt/cache/archives/*.deb; do
        dpkg-deb -x "$package" sysroot
    done
    # Absolute links, such as libm.so, point into the host: the linker would then choose libm.a.
    find sysroot -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
        ln -sf "$PWD/sysroot$target" "$link"
    done
    ln -s /usr/include/{volk.h,volk.c,stb} sysroot/usr/include
    write_runner >run
    chmod +x run
}

write_cross_file() {
    local sysroot=$PWD/sysroot
    case $target in
    windows)
        cat <<END
[binaries]
c = 'x86_64-w64-mingw32-gcc-posix'
ar = 'x86_64-w64-mingw32-gcc-ar-posix'
strip = 'x86_64-w64-mingw32-strip'
windres = 'x86_64-w64-mingw32-windres'
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = '$sysroot/lib/pkgconfig'
[built-in options]
c_link_args = ['-static', '-s']
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
END
        ;;
    aarch64)
        cat <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-gcc-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$PWD/run']
[properties]
sys_root = '$sysroot'
pkg_config_libdir = '$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig'
[built-in options]
c_args = ['--sysroot=$sysroot']
c_link_args = ['--sysroot=$sysroot']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
        ;;
    esac
}

# Processes that wine leaves running keep the file descriptors they inherit, so wine is started once
# without those of the tests.
test_windows() {
    x86_64-w64-mingw32-gcc-posix -municode -O1 -o on_windows.exe "$root/tests/cli/on_windows.c"
    [ -f native/build.ninja ] || meson setup native "$root"
    ninja -C native mipbench
    export WINEPREFIX=$PWD/wine WINEDEBUG=-all MESON_EXE_WRAPPER=wine MB_TEST_ROOT=$root
    export ON_WINDOWS=$PWD/on_windows.exe NATIVE=$PWD/native/mipbench PROGRAM=$PWD/mipbench/mipbench.exe
    # shellcheck disable=SC2016 # the inner shell's
    xvfb-run -a bash -c 'wine wineboot </dev/null >/dev/null 2>&1
        python3 "$MB_TEST_ROOT/tests/cli/test_windows.py" "$PROGRAM"
        status=$?
        wineboot --kill
        exit $status' </dev/null
}

# Tests rgba8 only: LLVM 15, which Debian 12's lavapipe is built with, cannot compile spd-tree's
# unpackHalf2x16 for rgba16f and rg11b10f ("Cannot select"). This build reads no manifests.
test_aarch64() {
    meson test -C mipbench --no-rebuild --print-errorlogs --timeout-multiplier 0 \
        --suite unit --suite cli --no-suite kernels </dev/null
    ./run mipbench/mipbench pattern:noise:33x25 -n 3 -w 0 --no-roofline -o run
}

main() {
    parse_options "$@"
    "$root/scripts/setup.sh" "--$target" "${setup_options[@]}"
    mkdir -p "$build_root/build-$target"
    cd "$build_root/build-$target"
    if ! [ -f sysroot/complete ]; then
        rm -rf sysroot sources objects
        "make_${target}_sysroot"
        touch sysroot/complete
    fi
    write_cross_file >cross.txt
    if ! [ -f mipbench/build.ninja ]; then
        meson setup --cross-file cross.txt -Dglslang=disabled -Dspirv=disabled mipbench "$root"
    fi
    ninja -C mipbench
    if $runs_tests; then
        "test_$target"
    fi
}

main "$@"
