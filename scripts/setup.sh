#!/usr/bin/env bash
# Finds missing packages and, with permission, installs them.
#
# On Debian and its relatives it lists the packages and the size of the download, asks on a terminal,
# and goes ahead with --yes or CI=true. It removes nothing, and updates only what a missing package
# needs in the release's current version (such as libc6 for libc6-dev), which it lists before it
# asks. On other systems it checks for the tools and lists the packages to install.
set -euo pipefail

build_packages=(meson ninja-build gcc g++ libc6-dev pkg-config python3 libvulkan-dev libvulkan-volk-dev
    glslang-tools glslang-dev spirv-tools spirv-cross libspirv-cross-c-shared-dev libstb-dev libcjson-dev
    libdeflate-dev libjpeg-dev libmd-dev mesa-vulkan-drivers help2man)
test_packages=(vulkan-validationlayers python3-jsonschema python3-numpy
    librsvg2-bin clang libclang-rt-dev lld clang-format git jq)
browser_packages=(chromium chromium-driver) # Ubuntu has them as snaps: tests that need them are skipped
windows_packages=(gcc-mingw-w64-x86-64-posix dpkg-dev wine wine64 xvfb xauth)
aarch64_packages=(gcc-aarch64-linux-gnu qemu-user)
tools=(meson ninja cc pkg-config python3 glslangValidator spirv-opt spirv-cross)
pkg_config_modules=(vulkan libmd)
headers=(volk.h stb/stb_easy_font.h stb/stb_image.h stb/stb_image_write.h)

fedora_names="meson ninja-build gcc gcc-c++ pkgconf-pkg-config vulkan-loader-devel vulkan-volk-devel glslang
    glslang-devel spirv-tools spirv-tools-devel spirv-cross spirv-cross-devel stb_easy_font-devel stb_image-devel
    stb_image_write-devel cjson-devel libdeflate-devel libjpeg-turbo-devel libmd-devel mesa-vulkan-drivers help2man"
fedora_test_names="vulkan-validation-layers python3-jsonschema python3-numpy
    librsvg2-tools clang lld clang-tools-extra libasan libubsan git chromium
    chromedriver jq"
arch_names="meson ninja gcc pkgconf vulkan-headers vulkan-icd-loader volk glslang spirv-tools spirv-cross stb
    cjson libdeflate libjpeg-turbo libmd vulkan-swrast help2man"
arch_test_names="vulkan-validation-layers python-jsonschema python-numpy
    librsvg clang lld git chromium jq"

# Packages of MSYS2's UCRT64 environment, without their prefix.
msys2_names="gcc meson ninja pkgconf python vulkan-headers vulkan-loader vulkan-volk glslang spirv-tools spirv-cross
    stb cjson libdeflate libjpeg-turbo"

want_tests=false
target_packages=()
assume_yes=false
work_dir=

usage() {
    cat <<'END'
usage: scripts/setup.sh [--tests] [--windows] [--aarch64] [--yes]

  --tests              also what the test suite needs
  --windows --aarch64  also what scripts/cross.sh needs, to run the result as well
  --yes                install without asking (so does CI=true)
  --help               this text

Exit: 0 everything is there, 1 something is missing, 2 usage.
END
}

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --tests) want_tests=true ;;
        --windows) target_packages+=("${windows_packages[@]}") ;;
        --aarch64) target_packages+=("${aarch64_packages[@]}") ;;
        --yes) assume_yes=true ;;
        --help)
            usage
            exit 0
            ;;
        *)
            say "error: unknown option '$1'"
            usage >&2
            exit 2
            ;;
        esac
        shift
    done
    if [ "${CI:-}" = true ]; then
        assume_yes=true
    fi
}

by_hand() { echo "apt-get install --no-install-recommends ${missing[*]}"; }

# Asks once; the default is yes.
confirm() {
    if $assume_yes; then
        return 0
    fi
    if ! [ -t 0 ] || ! [ -t 2 ]; then
        say "not a terminal, so nothing was installed; run again with --yes, or as root:"
        say "  $(by_hand)"
        return 1
    fi
    local answer
    read -r -p "$1 [Y/n] " answer || return 1
    case $answer in
    '' | [Yy] | [Yy][Ee][Ss]) return 0 ;;
    *)
        say "nothing was installed"
        return 1
        ;;
    esac
}

# Without a terminal, sudo must not wait for a password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@" </dev/null
    elif ! command -v sudo >/dev/null; then
        die "this needs root, and there is no sudo; run as root: $(by_hand)"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@" </dev/null
    fi
}

# Sets `missing` to the arguments that are not installed.
find_missing() {
    missing=()
    local package installed
    installed=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        case $installed in
        "$package=installed"* | *[[:space:]]"$package=installed"*) ;;
        *) missing+=("$package") ;;
        esac
    done
}

# Simulates an installation, which needs no root. LC_ALL=C because the output is parsed below.
simulate() {
    LC_ALL=C apt-get -s --no-install-recommends install "${missing[@]}" >"$work_dir/plan" \
        2>"$work_dir/plan.err"
}

update_lists() {
    as_root apt-get -q -o DPkg::Lock::Timeout=120 update >&2
}

# Makes the plan; updates apt's lists first if they lack a package.
make_plan() {
    if simulate; then
        return 0
    fi
    if grep -q 'unmet dependencies' "$work_dir/plan.err" "$work_dir/plan"; then
        cat "$work_dir/plan" "$work_dir/plan.err" >&2
        die "apt cannot install ${missing[*]} beside what is installed; nothing was changed"
    fi
    confirm "The package lists do not know all of: ${missing[*]}. Update them?" || exit 1
    update_lists
    if ! simulate; then
        cat "$work_dir/plan.err" >&2
        die "apt does not offer all of: ${missing[*]} (Debian 12 and Ubuntu 24.04 and later do)"
    fi
}

# Refuses a plan that removes a package: libvulkan-volk-dev, for example, conflicts with GNU Radio's
# libvolk2-dev.
refuse_removals() {
    local removed
    removed=$(awk '$1 == "Remv" || $1 == "Purg" { print $2 }' "$work_dir/plan" | paste -sd ' ' -)
    if [ -n "$removed" ]; then
        die "installing ${missing[*]} would remove: $removed; nothing was changed"
    fi
}

megabytes_to_fetch() {
    LC_ALL=C apt-get --print-uris -y --no-install-recommends install "${missing[@]}" 2>/dev/null |
        awk '/^\x27/ { bytes += $3 } END { printf "%.1f", bytes / 1e6 }'
}

show_plan() {
    local n_new updated
    n_new=$(grep -c '^Inst ' "$work_dir/plan" || true)
    # "Inst NAME [installed version] (new version ...": only updates have the bracket.
    updated=$(awk '$1 == "Inst" && $3 ~ /^\[/ { print $2 }' "$work_dir/plan" | paste -sd ' ' -)
    say "missing: ${missing[*]}"
    say "to install, with what they need: $n_new; to download: $(megabytes_to_fetch) MB"
    if [ -n "$updated" ]; then
        say "they need the release's current version of: $updated"
    fi
}

install_missing() {
    local command=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove
        --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0
        install "${missing[@]}")
    if ! as_root "${command[@]}" >&2; then
        # The usual cause: the lists are older than the archive, which has dropped a file.
        say "that failed; updating the package lists and trying once more"
        update_lists
        as_root "${command[@]}" >&2 || die "that failed again; by hand, as root: $(by_hand)"
    fi
}

setup_debian() {
    local wanted=("${build_packages[@]}" "${target_packages[@]}")
    if $want_tests; then
        wanted+=("${test_packages[@]}")
        grep -qs '^ID=ubuntu' /etc/os-release || wanted+=("${browser_packages[@]}")
    fi
    find_missing "${wanted[@]}"
    if [ ${#missing[@]} -eq 0 ]; then
        say "all packages are there"
        return 0
    fi
    work_dir=$(mktemp -d)
    trap 'rm -rf "$work_dir"' EXIT
    make_plan
    refuse_removals
    show_plan
    confirm "Install them?" || exit 1
    install_missing
    find_missing "${wanted[@]}"
    if [ ${#missing[@]} -ne 0 ]; then
        die "still missing: ${missing[*]}"
    fi
}

# Sets `missing` to the tools, pkg-config modules and headers that cannot be found.
find_missing_elsewhere() {
    missing=()
    local name
    for name in "${tools[@]}"; do
        command -v "$name" >/dev/null || missing+=("$name")
    done
    if [ ${#missing[@]} -ne 0 ]; then
        return
    fi
    for name in "${pkg_config_modules[@]}"; do
        pkg-config --exists "$name" || missing+=("$name.pc")
    done
    # Some distributions call it libcjson, some cjson.
    pkg-config --exists libcjson || pkg-config --exists cjson || missing+=(libcjson.pc)
    for name in "${headers[@]}"; do
        echo "#include <$name>" |
            cc -DVK_NO_PROTOTYPES -E - >/dev/null 2>&1 || missing+=("<$name>")
    done
}

setup_elsewhere() {
    find_missing_elsewhere
    if [ ${#missing[@]} -eq 0 ]; then
        say "not a Debian system; all that is needed to build is there"
        return 0
    fi
    if $want_tests; then
        fedora_names+=" $fedora_test_names"
        arch_names+=" $arch_test_names"
    fi
    say "missing: ${missing[*]}"
    # shellcheck disable=SC2086 # word splitting is intended
    say Fedora: dnf install $fedora_names
    # shellcheck disable=SC2086
    say Arch: pacman -S --needed $arch_names
    # shellcheck disable=SC2086
    say MSYS2: pacman -S --needed "$(printf 'mingw-w64-ucrt-x86_64-%s ' $msys2_names)"
    die "not a Debian system: install the packages with your own package manager"
}

main() {
    parse_options "$@"
    if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
        setup_debian
    else
        setup_elsewhere
    fi
}

main "$@"
