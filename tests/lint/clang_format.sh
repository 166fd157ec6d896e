#!/usr/bin/env bash
# usage: clang_format.sh ROOT
# Our C is as clang-format 14 leaves it (.clang-format). Other versions differ in small things,
# so with them, or without any, the test is skipped (77).
set -euo pipefail
cd -- "$1"

clang_format=
for name in clang-format-14 clang-format; do
    if [[ $("$name" --version 2>/dev/null) == *"version 14."* ]]; then
        clang_format=$name
        break
    fi
done
if [ -z "$clang_format" ]; then
    echo "clang-format 14 is not installed"
    exit 77
fi

mapfile -d '' files < <(find src strategies tests -name '*.[ch]' -print0)
[ ${#files[@]} -gt 0 ] || { echo "no C files in $1" && exit 1; }
"$clang_format" --dry-run -Werror "${files[@]}"
echo "${#files[@]} files"
