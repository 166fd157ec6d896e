/* Fuzz target of the reader of SPIR-V modules: whatever the words, what is read of them is
 * sound or there is one line, and all memory is given back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/text.h"
#include "fuzz.h"
#include "kernel/spirv.h"

static void expect(bool is_met, const char *what)
{
    if (!is_met) {
        fprintf(stderr, "fuzz_spirv: %s\n", what);
        abort();
    }
}

static void check_text(const char *text)
{
    char clean[1024];
    mb_utf8_sanitize(text, clean, sizeof clean);
    expect(strcmp(text, clean) == 0, "a text that is not clean");
}

static void check_shader(const struct mb_spirv *spirv)
{
    const struct mb_shader *shader = &spirv->shader;
    expect(shader->n_bindings <= MB_MAX_BINDINGS && shader->n_sets <= MB_MAX_SETS,
           "more bindings or sets than there are");
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        const struct mb_binding *binding = &shader->bindings[i];
        expect(binding->set < shader->n_sets && binding->n_descriptors > 0, "a wrong binding");
        expect(mb_spirv_find(spirv, binding->set, binding->binding) == binding,
               "two bindings of one place");
        check_text(spirv->use[i].name);
    }
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        expect(spirv->constants[i].scalar <= MB_SCALAR_BOOL, "a constant of another width");
        expect(i == 0 || spirv->constants[i - 1].id < spirv->constants[i].id,
               "constants out of order, or two of one id");
        expect(shader->entries[i].constantID == spirv->constants[i].id &&
                   shader->entries[i].offset == 4 * i,
               "a wrong entry");
        check_text(shader->constants[i].name);
    }
    for (int i = 0; i < 3; i++) {
        expect(spirv->workgroup_size[i] > 0, "a workgroup of nothing");
        expect(spirv->size_constants[i] == UINT32_MAX ||
                   spirv->size_constants[i] < shader->n_constants,
               "a size of a constant that is not there");
    }
}

static void check_blocks(const struct mb_spirv *spirv)
{
    expect(spirv->n_members <= MB_SPIRV_MAX_MEMBERS,
           "more blocks or members than there is room for");
    for (uint32_t i = 0; i <= spirv->shader.n_bindings; i++) {
        const struct mb_spirv_block *block =
            i < spirv->shader.n_bindings ? &spirv->use[i].block : &spirv->push;
        expect(block->first_member + block->n_members <= spirv->n_members,
               "a block of members that are not there");
        for (uint32_t k = 0; k < block->n_members; k++) {
            const struct mb_spirv_member *member = &spirv->members[block->first_member + k];
            expect(member->scalar < MB_N_SCALARS, "a member of no scalar");
            check_text(member->name);
        }
    }
}

/* The module stays as it was, byte for byte, and reads as it did. */
static void check_again(const struct mb_spirv *first, const uint8_t *data, size_t n_bytes)
{
    expect(memcmp(first->shader.code, data, n_bytes) == 0, "the module has changed");
    struct mb_spirv *again = mb_malloc(sizeof *again);
    struct mb_err err = {0};
    expect(mb_spirv_init(again, "again.spv", first->shader.code, n_bytes, first->shader.entry,
                         &err) == MB_OK,
           "the module cannot be read again");
    expect(memcmp(again->members, first->members, sizeof again->members) == 0 &&
               memcmp(again->use, first->use, sizeof again->use) == 0 &&
               again->shader.n_constants == first->shader.n_constants &&
               again->shader.n_bindings == first->shader.n_bindings,
           "the module reads otherwise");
    mb_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static const char *const entries[] = {"main", "go"};
    const uint64_t n_live = mb_alloc_live_count();
    struct mb_spirv *spirv = mb_malloc(sizeof *spirv);
    void *code = mb_malloc(n_bytes); /* aligned for words */
    memcpy(code, data, n_bytes);
    for (size_t i = 0; i < MB_COUNTOF(entries); i++) {
        struct mb_err err = {0};
        if (mb_spirv_init(spirv, "fuzzed.spv", code, n_bytes, entries[i], &err) == MB_OK) {
            check_shader(spirv);
            check_blocks(spirv);
            check_again(spirv, data, n_bytes);
        } else {
            expect(err.code == MB_ERRC_INPUT, "a failure that is not of the input");
            expect(err.text[0] != '\0', "a failure without its line");
            check_text(err.text);
        }
    }
    mb_free(code);
    mb_free(spirv);
    expect(mb_alloc_live_count() == n_live, "memory was not given back");
    return 0;
}

/* Words are what a module is made of: one is replaced by another of the module, by one near it
 * or by an edge; and an instruction is left out, doubled or put elsewhere. */
static size_t instruction_at(const uint32_t *words, size_t n, struct mb_rng *rng)
{
    const uint32_t wanted = mb_rng_below(rng, (uint32_t)n);
    size_t at = 5;
    while (at < n && words[at] >> 16 != 0 && at + (words[at] >> 16) <= wanted) {
        at += words[at] >> 16;
    }
    return at < n ? at : 5;
}

static size_t edit_instruction(uint32_t *words, size_t n, size_t max, struct mb_rng *rng)
{
    uint32_t copy[64];
    const size_t from = instruction_at(words, n, rng), to = instruction_at(words, n, rng);
    const size_t n_moved = words[from] >> 16;
    if (n_moved == 0 || n_moved > MB_COUNTOF(copy) || from + n_moved > n || n + n_moved > max) {
        return n;
    }
    if (mb_rng_below(rng, 2) == 0) {
        memmove(words + from, words + from + n_moved, (n - from - n_moved) * 4);
        return n - n_moved;
    }
    memcpy(copy, words + from, n_moved * 4);
    memmove(words + to + n_moved, words + to, (n - to) * 4);
    memcpy(words + to, copy, n_moved * 4);
    return n + n_moved;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_bytes, size_t max_bytes, unsigned seed)
{
    static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff0000};
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    size_t n = n_bytes / 4;
    if (n < 8) {
        return n_bytes;
    }
    uint32_t *words = malloc(max_bytes / 4 * 4);
    if (words == NULL) {
        exit(1);
    }
    memcpy(words, data, n * 4);
    /* Half of all edits are of the first tenth, or of what is read last. */
    const uint32_t range = (uint32_t)(mb_rng_below(&rng, 2) == 0 ? n : n / 10 + 8);
    uint32_t *word = &words[mb_rng_below(&rng, range < n ? range : (uint32_t)n)];
    switch (mb_rng_below(&rng, 4)) {
    case 0:
        *word = words[mb_rng_below(&rng, (uint32_t)n)];
        break;
    case 1:
        *word += mb_rng_below(&rng, 9) - 4;
        break;
    case 2:
        *word = edges[mb_rng_below(&rng, (uint32_t)MB_COUNTOF(edges))];
        break;
    default:
        n = edit_instruction(words, n, max_bytes / 4, &rng);
        break;
    }
    memcpy(data, words, n * 4);
    free(words);
    return n * 4;
}
