/* The empty kernel of the null twins takes the shape of the workgroup from outside, in all
 * three directions: constants 0, 1 and 2 are its size. */
#include <stdbool.h>

#include "check.h"
#include "vk/shader.h"

#define OP_DECORATE                71u /* opcodes and decorations of SPIR-V */
#define OP_SPEC_CONSTANT           50u
#define OP_SPEC_CONSTANT_COMPOSITE 51u
#define DECORATION_SPEC_ID         1u
#define DECORATION_BUILT_IN        11u
#define BUILT_IN_WORKGROUP_SIZE    25u
#define HEADER_WORDS               5u
#define MAX_IDS                    64u

extern const struct mb_shader mb_spv_null;

/* What is known of each result id. */
struct facts {
    uint32_t spec_id[MAX_IDS]; /* plus 1; 0: none */
    bool is_size[MAX_IDS];
    uint32_t default_value[MAX_IDS];
};

static void note(struct facts *facts, const uint32_t *op, uint32_t opcode)
{
    if (opcode == OP_DECORATE && op[1] < MAX_IDS && op[2] == DECORATION_SPEC_ID) {
        facts->spec_id[op[1]] = op[3] + 1;
    } else if (opcode == OP_DECORATE && op[1] < MAX_IDS && op[2] == DECORATION_BUILT_IN) {
        facts->is_size[op[1]] = op[3] == BUILT_IN_WORKGROUP_SIZE;
    } else if (opcode == OP_SPEC_CONSTANT && op[2] < MAX_IDS) {
        facts->default_value[op[2]] = op[3];
    }
}

int main(void)
{
    struct facts facts = {.spec_id = {0}};
    const uint32_t *code = mb_spv_null.code;
    const size_t n_words = mb_spv_null.code_bytes / sizeof *code;
    bool is_found = false;
    for (size_t i = HEADER_WORDS; i < n_words && code[i] >> 16 > 0; i += code[i] >> 16) {
        const uint32_t *op = &code[i];
        note(&facts, op, op[0] & 0xffffu);
        if ((op[0] & 0xffffu) != OP_SPEC_CONSTANT_COMPOSITE || op[2] >= MAX_IDS ||
            !facts.is_size[op[2]]) {
            continue;
        }
        is_found = true;
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(op[3 + k] < MAX_IDS);
            CHECK_EQ_INT(facts.spec_id[op[3 + k] % MAX_IDS], k + 1);
            CHECK_EQ_INT(facts.default_value[op[3 + k] % MAX_IDS], 1);
        }
    }
    CHECK(is_found);
    return check_summary("null_kernel");
}
