#!/usr/bin/env bash
# usage: shell_syntax.sh ROOT
# Every shell script parses, is executable (but for what is only sourced, *.bash), and is clean
# under shellcheck, where that is installed.
set -euo pipefail
cd -- "$1"

mapfile -d '' files < <(find scripts tests .ci \( -name '*.sh' -o -name '*.bash' -o -path .ci/run \) -print0)
[ ${#files[@]} -gt 0 ] || { echo "no shell scripts in $1" && exit 1; }
status=0
for file in "${files[@]}"; do
    bash -n "$file" || status=1
    [ -x "$file" ] || [ "${file%.bash}" != "$file" ] || { echo "$file: not executable" && status=1; }
done
if command -v shellcheck >/dev/null; then
    shellcheck "${files[@]}" || status=1
fi
echo "${#files[@]} scripts"
exit $status
