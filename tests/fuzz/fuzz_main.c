/* Runs a fuzz target over each file of a corpus and over mutants of them, the same ones on
 * every machine. The input that a target dies of is written to fuzz-failure.bin.
 *
 *   fuzz_TARGET N_MUTANTS SEED FILE...
 *
 * N_MUTANTS is shared out between the files; a file alone, with 0, is run as it is. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "fuzz.h"

#define MAX_FILE_BYTES (1u << 20)
#define MAX_EDITS      4u

static uint8_t input[2 * MAX_FILE_BYTES];
static size_t n_input;

static void keep_failure(void)
{
    const int file = open("fuzz-failure.bin", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, input, n_input) != (ssize_t)n_input || close(file) != 0) {
        _exit(2);
    }
}

static void on_signal(int signal_number)
{
    keep_failure();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* There only under AddressSanitizer, which ends without a signal. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Values that sizes, counts and checks are compared with. */
static uint32_t edge_value(struct mb_rng *rng)
{
    static const uint32_t edges[] = {
        0,      1,       0x7f,      0x80,       0xff,       0x100,      0x7fff, 0x8000,
        0xffff, 0x10000, 0x7ffffff, 0x7fffffff, 0x80000000, 0xffffffff, 16384,  16385};
    return edges[mb_rng_below(rng, sizeof edges / sizeof edges[0])];
}

static void flip_bit(struct mb_rng *rng)
{
    input[mb_rng_below(rng, (uint32_t)n_input)] ^= (uint8_t)(1u << mb_rng_below(rng, 8));
}

static void set_byte(struct mb_rng *rng)
{
    input[mb_rng_below(rng, (uint32_t)n_input)] = (uint8_t)mb_rng_next(rng);
}

/* An edge as one, two or four bytes in either order. */
static void set_edge(struct mb_rng *rng)
{
    const uint32_t value = edge_value(rng), n = 1u << mb_rng_below(rng, 3);
    const bool is_big_endian = mb_rng_below(rng, 2) == 1;
    const size_t at = mb_rng_below(rng, (uint32_t)n_input);
    for (uint32_t i = 0; i < n && at + i < n_input; i++) {
        input[at + i] = (uint8_t)(value >> (8 * (is_big_endian ? n - 1 - i : i)));
    }
}

static void cut(struct mb_rng *rng)
{
    n_input = 1 + mb_rng_below(rng, (uint32_t)n_input);
}

/* Once more what is somewhere, or leave it out. */
static void move_part(struct mb_rng *rng)
{
    const size_t from = mb_rng_below(rng, (uint32_t)n_input);
    const size_t to = mb_rng_below(rng, (uint32_t)n_input);
    const size_t n_moved = n_input - from;
    if (to + n_moved <= sizeof input) {
        memmove(input + to, input + from, n_moved);
        n_input = to + n_moved;
    }
}

extern __typeof__(LLVMFuzzerCustomMutator) LLVMFuzzerCustomMutator __attribute__((weak));

/* One in eight edits of a target that has its own is still of bytes. */
static bool edit_by_target(struct mb_rng *rng)
{
    if (LLVMFuzzerCustomMutator == NULL || mb_rng_below(rng, 8) == 0) {
        return false;
    }
    n_input = LLVMFuzzerCustomMutator(input, n_input, sizeof input, (unsigned)mb_rng_next(rng));
    return true;
}

static void mutate(struct mb_rng *rng)
{
    static void (*const edits[])(struct mb_rng *) = {flip_bit, set_byte, set_edge, cut,
                                                     move_part};
    const uint32_t n_edits = 1 + mb_rng_below(rng, MAX_EDITS);
    for (uint32_t i = 0; i < n_edits && n_input > 0; i++) {
        if (edit_by_target(rng)) {
            continue;
        }
        edits[mb_rng_below(rng, sizeof edits / sizeof edits[0])](rng);
    }
}

static void run_file(const char *path, uint64_t n_mutants, struct mb_rng *rng)
{
    struct mb_bytes file;
    struct mb_err err = {0};
    if (mb_file_read(path, MAX_FILE_BYTES, &file, &err) != MB_OK) {
        fprintf(stderr, "fuzz: %s\n", err.text);
        exit(1);
    }
    for (uint64_t i = 0; i <= n_mutants; i++) {
        memcpy(input, file.data, file.n_bytes);
        n_input = file.n_bytes;
        if (i > 0) {
            mutate(rng);
        }
        /* A copy of its exact length: AddressSanitizer sees a read past it. */
        uint8_t *copy = malloc(n_input);
        if (copy == NULL) {
            exit(1);
        }
        memcpy(copy, input, n_input);
        /* The target counts what it allocates; the file is ours. */
        (void)LLVMFuzzerTestOneInput(copy, n_input);
        free(copy);
    }
    mb_bytes_finish(&file);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s N_MUTANTS SEED FILE...\n", argv[0]);
        return 2;
    }
    const int n_files = argc - 3;
    const uint64_t n_mutants = (uint64_t)strtoull(argv[1], NULL, 10) / (uint64_t)n_files;
    struct mb_rng rng;
    mb_rng_init(&rng, strtoull(argv[2], NULL, 10));
    signal(SIGABRT, on_signal);
    signal(SIGSEGV, on_signal);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(keep_failure);
    }
    for (int i = 0; i < n_files; i++) {
        run_file(argv[3 + i], n_mutants, &rng);
    }
    printf("%d files, %llu mutants\n", n_files,
           (unsigned long long)(n_mutants * (uint64_t)n_files));
    return 0;
}
