#!/bin/sh
# A stand-in for a call that the program no longer makes tests nothing.
# usage: check_callers.sh LIBFAULTS LIB_OF_THE_PROGRAM...
set -eu
names=$(nm "$1" | sed -n 's/.* [tT] __wrap_//p; s/.* [tT] stand_in_vk/vk/p')
shift
calls=$(nm -u "$@" | sed -n 's/^ *U //p')
unused=$(echo "${names:-(no stand-ins)}" | grep -vxF "$calls") || exit 0
echo "not called: $unused" && exit 1
