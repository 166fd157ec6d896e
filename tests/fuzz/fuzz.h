/* The entry of a fuzz target, by libFuzzer's name: linked with fuzz_main.c it runs a fixed
 * number of mutants of a corpus; built by clang with -fsanitize=fuzzer it is led by coverage:
 *
 *   CC=clang meson setup build-fuzz -Db_sanitize=address,undefined -Db_lundef=false
 * -Dfuzzer=true ninja -C build-fuzz && build-fuzz/tests/fuzz/fuzz_image CORPUS
 *
 * A target aborts where something is wrong, and says what. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* A target may bring an edit of its own, for text that edits of bytes only break: in place, by
 * a seed; the new size, `max_bytes` at most. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_bytes, size_t max_bytes, unsigned seed);
