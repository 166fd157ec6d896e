#!/usr/bin/env bash
# usage: spirv_val.sh BUILD_DIR
# Every SPIR-V module that the build made is valid for Vulkan 1.2. None at all is a failure: the
# test would have looked in the wrong place.
set -euo pipefail

if ! command -v spirv-val >/dev/null; then
    echo "spirv-val is not installed"
    exit 77
fi
mapfile -d '' modules < <(find "$1" -name '*.spv' -print0)
if [ ${#modules[@]} -eq 0 ]; then
    echo "no .spv file below $1"
    exit 1
fi
status=0
for module in "${modules[@]}"; do
    if ! spirv-val --target-env vulkan1.2 "$module"; then
        echo "invalid: $module"
        status=1
    fi
done
echo "${#modules[@]} modules"
exit $status
