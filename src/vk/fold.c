/* Constants of SPIR-V are filled in, and branches on them taken (SPIR-V specification, 2.11
 * "Structured Control Flow", and 3. "Binary Form").
 *
 * Mesa 22.3 inlines every function before it drops what constants leave out: of one kernel of
 * spd-tree 250,000 instructions, of which it keeps 5,000, in 2 s. */
#include "vk/fold.h"

#include <string.h>

#include "base/alloc.h"

#define N_HEADER_WORDS 5u
#define MAX_BOUND      (1u << 22) /* ids, as in every module that Vulkan takes */
#define IS_CONSTANT    UINT32_MAX /* of id.known_in */
#define TRUE_BRANCH    2u         /* operands of OpBranchConditional */

enum {
    OP_UNDEF = 1,
    OP_NAME = 5,
    OP_LINE = 8,
    OP_EXT_INST = 12,
    OP_ENTRY_POINT = 15,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_FORWARD_POINTER = 39,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_DECORATION_GROUP = 73,
    OP_LOGICAL_OR = 166,
    OP_LOGICAL_AND = 167,
    OP_SELECT = 169,
    OP_PHI = 245,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251,
    OP_UNREACHABLE = 255,
    OP_DECORATE_ID = 332,
    OP_DECORATE_STRING = 5632,
    DECORATION_SPEC_ID = 1,
};

/* An instruction; what its words do not reach is 0. */
struct op {
    const uint32_t *words;
    uint32_t n_words;
    uint32_t code;
};

struct id {
    uint32_t kind;     /* of a type of one word: its OP_TYPE_; else 0 */
    uint32_t constant; /* of a specialisation constant: 1 + its place among values; else 0 */
    uint32_t known_in; /* pass in which `value` was found; 0: never */
    uint32_t value;    /* of bool: 0 or 1 */
    uint32_t taken;    /* of a block that always goes on to the same one: that one */
    uint32_t header;   /* of what a kept loop continues at: the loop's block */
    bool is_kept;      /* it is defined by what is written */
    bool is_reached;   /* of a block, or a function */
    bool is_needed;    /* of a block: a kept merge names it; of a function: it was followed */
    bool is_block, has_phi, is_left;
};

struct fold {
    const struct mb_shader *shader;
    const uint32_t *values;
    const uint32_t *words;
    uint32_t n_words;
    struct id *ids;
    uint32_t bound;
    uint32_t pass;
    bool is_changed;
    bool is_foreign; /* not of a kind that is read here */
    uint32_t *out;
    uint32_t n_out;
};

/* The instruction at `at`, which it moves behind it; false at the end. */
static bool next_op(const struct fold *f, uint32_t *at, struct op *op)
{
    if (*at >= f->n_words) {
        return false;
    }
    *op = (struct op){f->words + *at, f->words[*at] >> 16, f->words[*at] & 0xffffu};
    *at += op->n_words;
    return true;
}

static uint32_t word(const struct op *op, uint32_t i)
{
    return i < op->n_words ? op->words[i] : 0;
}

/* The id that is a word of an instruction; of none, one that nothing is known of. */
static struct id *id_of(const struct fold *f, uint32_t id)
{
    return &f->ids[id < f->bound ? id : 0];
}

static bool is_known(const struct fold *f, uint32_t id)
{
    const uint32_t known_in = id_of(f, id)->known_in;
    return known_in == IS_CONSTANT || (known_in == f->pass && f->pass > 0);
}

static void know(const struct fold *f, uint32_t id, uint32_t value, uint32_t known_in)
{
    if (id > 0 && id < f->bound) {
        f->ids[id].value = value;
        f->ids[id].known_in = known_in;
    }
}

/* Every instruction is whole, and no id beyond the bound. */
static bool is_sound(const struct fold *f)
{
    uint32_t at = N_HEADER_WORDS;
    while (at < f->n_words) {
        const uint32_t n = f->words[at] >> 16;
        if (n == 0 || n > f->n_words - at) {
            return false;
        }
        at += n;
    }
    return true;
}

/* ---- What is known */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Instructions that compute go by their numbers in the specification. */
static bool compute_floats(uint32_t code, float a, float b, uint32_t *value)
{
    const bool is_ordered = a == a && b == b;
    switch (code) {
    case 180:
        *value = a == b;
        break;
    case 181:
        *value = a == b || !is_ordered;
        break;
    case 182:
        *value = a != b && is_ordered;
        break;
    case 183:
        *value = a != b;
        break;
    case 184:
        *value = a < b;
        break;
    case 185:
        *value = a < b || !is_ordered;
        break;
    case 186:
        *value = a > b;
        break;
    case 187:
        *value = a > b || !is_ordered;
        break;
    case 188:
        *value = a <= b;
        break;
    case 189:
        *value = a <= b || !is_ordered;
        break;
    case 190:
        *value = a >= b;
        break;
    case 191:
        *value = a >= b || !is_ordered;
        break;
    default:
        return false;
    }
    return true;
}

static bool compare_integers(uint32_t code, uint32_t a, uint32_t b, uint32_t *value)
{
    const int32_t signed_a = (int32_t)a, signed_b = (int32_t)b;
    switch (code) {
    case 164: /* of bools */
    case 170:
        *value = a == b;
        break;
    case 165:
    case 171:
        *value = a != b;
        break;
    case 172:
        *value = a > b;
        break;
    case 173:
        *value = signed_a > signed_b;
        break;
    case 174:
        *value = a >= b;
        break;
    case 175:
        *value = signed_a >= signed_b;
        break;
    case 176:
        *value = a < b;
        break;
    case 177:
        *value = signed_a < signed_b;
        break;
    case 178:
        *value = a <= b;
        break;
    case 179:
        *value = signed_a <= signed_b;
        break;
    default:
        return false;
    }
    return true;
}

/* What is undefined is not known. */
static bool compute_integers(uint32_t code, uint32_t a, uint32_t b, uint32_t *value)
{
    switch (code) {
    case 124:
        *value = a;
        break; /* OpBitcast */
    case 126:
        *value = 0u - a;
        break;
    case 128:
        *value = a + b;
        break;
    case 130:
        *value = a - b;
        break;
    case 132:
        *value = a * b;
        break;
    case OP_LOGICAL_OR:
    case 197:
        *value = a | b;
        break;
    case OP_LOGICAL_AND:
    case 199:
        *value = a & b;
        break;
    case 168:
        *value = !a;
        break;
    case 194:
        *value = a >> (b & 31u);
        return b < 32;
    case 195:
        *value = (uint32_t)((int32_t)a >> (b & 31u));
        return b < 32;
    case 196:
        *value = a << (b & 31u);
        return b < 32;
    case 198:
        *value = a ^ b;
        break;
    case 200:
        *value = ~a;
        break;
    default:
        return false;
    }
    return true;
}

/* Of an instruction that computes a bool or 32 bits from `n` operands. */
static bool compute(const struct fold *f, uint32_t code, const uint32_t *operands, uint32_t n,
                    uint32_t *value)
{
    uint32_t v[3] = {0};
    bool knows[3] = {false};
    for (uint32_t i = 0; i < n && i < 3; i++) {
        knows[i] = is_known(f, operands[i]);
        v[i] = id_of(f, operands[i])->value;
    }
    if (code == OP_SELECT) {
        const uint32_t chosen = v[0] != 0 ? 1 : 2;
        *value = v[chosen];
        return n == 3 && knows[0] && knows[chosen];
    }
    if (code == OP_LOGICAL_AND || code == OP_LOGICAL_OR) {
        const uint32_t settled = code == OP_LOGICAL_OR;
        if ((knows[0] && v[0] == settled) || (knows[1] && v[1] == settled)) {
            *value = settled;
            return true;
        }
    }
    return n > 0 && n < 3 && knows[0] && (n == 1 || knows[1]) &&
           (compute_integers(code, v[0], v[1], value) ||
            compare_integers(code, v[0], v[1], value) ||
            compute_floats(code, float_of(v[0]), float_of(v[1]), value));
}

static uint32_t value_of_constant(const struct fold *f, const struct op *op)
{
    const uint32_t constant = id_of(f, word(op, 2))->constant;
    if (constant > 0) {
        const uint32_t value = f->values[constant - 1];
        return op->code == OP_SPEC_CONSTANT ? value : value != 0;
    }
    return op->code == OP_SPEC_CONSTANT ? word(op, 3) : op->code == OP_SPEC_CONSTANT_TRUE;
}

static void learn_decoration(struct fold *f, const struct op *op)
{
    const bool is_spec_id = word(op, 2) == DECORATION_SPEC_ID && f->values;
    for (uint32_t i = 0; i < f->shader->n_constants && is_spec_id; i++) {
        if (f->shader->entries[i].constantID == word(op, 3)) {
            id_of(f, word(op, 1))->constant = 1 + i;
        }
    }
}

/* Types and constants, which stand before the functions. */
static void learn(struct fold *f, const struct op *op)
{
    const uint32_t id = word(op, 2), type = id_of(f, word(op, 1))->kind;
    uint32_t value = 0;
    switch (op->code) {
    case OP_DECORATE:
        learn_decoration(f, op);
        break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        id_of(f, word(op, 1))->kind = word(op, 2) == 32 ? op->code : 0;
        break;
    case OP_TYPE_BOOL:
        id_of(f, word(op, 1))->kind = op->code;
        break;
    case OP_CONSTANT_TRUE:
    case OP_CONSTANT_FALSE:
        know(f, id, op->code == OP_CONSTANT_TRUE, IS_CONSTANT);
        break;
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
        know(f, id, value_of_constant(f, op), IS_CONSTANT);
        break;
    case OP_CONSTANT:
    case OP_SPEC_CONSTANT:
        if (type != 0) {
            value = op->code == OP_CONSTANT ? word(op, 3) : value_of_constant(f, op);
            know(f, id, value, IS_CONSTANT);
        }
        break;
    case OP_SPEC_CONSTANT_OP:
        if (type != 0 && op->n_words > 4 &&
            compute(f, word(op, 3), op->words + 4, op->n_words - 4, &value)) {
            know(f, id, value, IS_CONSTANT);
        }
        break;
    case OP_EXT_INST: /* outside functions it says things of them that may no longer hold */
    case OP_DECORATION_GROUP:
        f->is_foreign = true;
        break;
    default:
        break;
    }
}

/* ---- What is reached */

static bool is_taken(const struct fold *f, uint32_t from, uint32_t to)
{
    const struct id *block = id_of(f, from);
    return block->is_reached && (block->taken == 0 || block->taken == to);
}

static bool is_phi_known(const struct fold *f, const struct op *op, uint32_t block,
                         uint32_t *value)
{
    bool is_first = true;
    for (uint32_t i = 3; i + 1 < op->n_words; i += 2) {
        if (!is_taken(f, word(op, i + 1), block)) {
            continue;
        }
        const uint32_t other = id_of(f, word(op, i))->value;
        if (!is_known(f, word(op, i)) || (!is_first && other != *value)) {
            return false;
        }
        *value = other;
        is_first = false;
    }
    return !is_first;
}

static void reach(struct fold *f, uint32_t id)
{
    f->is_changed = f->is_changed || !id_of(f, id)->is_reached;
    id_of(f, id)->is_reached = true;
}

/* Where a block goes on. */
static void leave(struct fold *f, const struct op *op, uint32_t block)
{
    uint32_t taken = 0;
    if (op->code == OP_BRANCH) {
        reach(f, word(op, 1));
    } else if (op->code == OP_BRANCH_CONDITIONAL && is_known(f, word(op, 1))) {
        taken = word(op, id_of(f, word(op, 1))->value != 0 ? TRUE_BRANCH : TRUE_BRANCH + 1);
        reach(f, taken);
    } else if (op->code == OP_BRANCH_CONDITIONAL) {
        reach(f, word(op, TRUE_BRANCH));
        reach(f, word(op, TRUE_BRANCH + 1));
    } else if (op->code == OP_SWITCH) {
        reach(f, word(op, 2));
        for (uint32_t i = 4; i < op->n_words; i += 2) { /* of a selector of 32 bits */
            f->is_foreign = f->is_foreign || !id_of(f, word(op, i))->is_block;
            reach(f, word(op, i));
        }
    }
    /* Not to and fro: what went both ways once does so for good. */
    struct id *id = id_of(f, block);
    taken = !id->is_left || id->taken == taken ? taken : 0;
    f->is_changed = f->is_changed || id->taken != taken;
    id->taken = taken;
    id->is_left = true;
}

/* One pass over a function from `at` on: what is known where no more is reached than so far. */
static void pass_over(struct fold *f, uint32_t at)
{
    struct op op;
    uint32_t block = 0, value = 0;
    f->pass++;
    f->is_changed = false;
    while (next_op(f, &at, &op) && op.code != OP_FUNCTION_END) {
        if (op.code == OP_LABEL) {
            if (block == 0) {
                reach(f, word(&op, 1));
            }
            block = word(&op, 1);
        }
        if (!id_of(f, block)->is_reached) {
            continue;
        }
        if (op.code == OP_PHI) {
            if (is_phi_known(f, &op, block, &value)) {
                know(f, word(&op, 2), value, f->pass);
            }
        } else if (op.code >= OP_BRANCH && op.code <= OP_UNREACHABLE) {
            leave(f, &op, block);
        } else if (op.n_words > 3 && id_of(f, word(&op, 1))->kind != 0 &&
                   compute(f, op.code, op.words + 3, op.n_words - 3, &value)) {
            know(f, word(&op, 2), value, f->pass);
        }
    }
}

/* Until no more is reached, and of that what is called and which merges stay. */
static void follow(struct fold *f, uint32_t begin)
{
    struct op op;
    uint32_t block = 0;
    do {
        pass_over(f, begin);
    } while (f->is_changed);
    for (uint32_t at = begin; next_op(f, &at, &op) && op.code != OP_FUNCTION_END;) {
        block = op.code == OP_LABEL ? word(&op, 1) : block;
        if (!id_of(f, block)->is_reached) {
            continue;
        }
        if (op.code == OP_FUNCTION_CALL) {
            reach(f, word(&op, 3));
        } else if (op.code == OP_PHI) {
            id_of(f, block)->has_phi = true;
        } else if (op.code == OP_LOOP_MERGE) {
            id_of(f, word(&op, 1))->is_needed = true;
            id_of(f, word(&op, 2))->is_needed = true;
            id_of(f, word(&op, 2))->header = block;
        } else if (op.code == OP_SELECTION_MERGE && id_of(f, block)->taken == 0) {
            id_of(f, word(&op, 1))->is_needed = true;
        }
    }
}

static void follow_calls(struct fold *f, uint32_t begin)
{
    struct op op;
    bool is_more = true;
    while (is_more) {
        is_more = false;
        for (uint32_t at = begin; next_op(f, &at, &op);) {
            struct id *function = id_of(f, word(&op, 2));
            if (op.code == OP_FUNCTION && function->is_reached && !function->is_needed) {
                function->is_needed = true;
                follow(f, at);
                is_more = true;
            }
        }
    }
}

/* ---- What is written */

static void put(struct fold *f, const uint32_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        f->out[f->n_out++] = words[i];
    }
}

static void put_op(struct fold *f, uint32_t code, const uint32_t *operands, uint32_t n)
{
    f->out[f->n_out++] = (n + 1) << 16 | code;
    put(f, operands, n);
}

/* Before the functions. */
static void put_global(struct fold *f, const struct op *op)
{
    const bool is_spec = op->code >= OP_SPEC_CONSTANT_TRUE && op->code <= OP_SPEC_CONSTANT_OP;
    if (is_spec && is_known(f, word(op, 2))) {
        const struct id *id = id_of(f, word(op, 2));
        const uint32_t operands[] = {word(op, 1), word(op, 2), id->value};
        if (id_of(f, operands[0])->kind == OP_TYPE_BOOL) {
            put_op(f, id->value != 0 ? OP_CONSTANT_TRUE : OP_CONSTANT_FALSE, operands, 2);
        } else {
            put_op(f, OP_CONSTANT, operands, 3);
        }
        return;
    }
    const bool is_decoration =
        op->code == OP_DECORATE || op->code == OP_DECORATE_ID || op->code == OP_DECORATE_STRING;
    const bool is_of_nothing =
        is_decoration && (!id_of(f, word(op, 1))->is_kept ||
                          (word(op, 2) == DECORATION_SPEC_ID && is_known(f, word(op, 1))));
    if (op->code != OP_NAME && !is_of_nothing) {
        put(f, op->words, op->n_words);
    }
}

static void put_phi(struct fold *f, const struct op *op, uint32_t block)
{
    const uint32_t begin = f->n_out;
    put(f, op->words, op->n_words < 3 ? op->n_words : 3);
    for (uint32_t i = 3; i + 1 < op->n_words; i += 2) {
        if (is_taken(f, word(op, i + 1), block)) {
            put(f, op->words + i, 2);
        }
    }
    f->out[begin] = (f->n_out - begin) << 16 | OP_PHI;
}

/* A block that nothing leads to, but that a merge names. */
static void put_unreached(struct fold *f, uint32_t block)
{
    const uint32_t header = id_of(f, block)->header;
    f->is_foreign = f->is_foreign || id_of(f, header)->has_phi;
    put_op(f, OP_LABEL, &block, 1);
    put_op(f, header != 0 ? OP_BRANCH : OP_UNREACHABLE, &header, header != 0);
}

static void put_in_block(struct fold *f, const struct op *op, uint32_t block)
{
    const struct id *id = id_of(f, block);
    if (op->code == OP_PHI) {
        put_phi(f, op, block);
    } else if (id->taken != 0 && op->code == OP_BRANCH_CONDITIONAL) {
        put_op(f, OP_BRANCH, &id->taken, 1);
    } else if (id->taken == 0 || op->code != OP_SELECTION_MERGE) {
        put(f, op->words, op->n_words);
    }
}

/* Behind OP_FUNCTION, which is put, to its end. */
static void put_function(struct fold *f, uint32_t *at)
{
    struct op op;
    uint32_t block = 0;
    while (next_op(f, at, &op) && op.code != OP_FUNCTION_END) {
        if (op.code == OP_LABEL) {
            block = word(&op, 1);
            if (!id_of(f, block)->is_reached && id_of(f, block)->is_needed) {
                put_unreached(f, block);
            }
        }
        if (block == 0 || id_of(f, block)->is_reached) {
            put_in_block(f, &op, block);
        }
    }
    put_op(f, OP_FUNCTION_END, NULL, 0);
}

/* An instruction that is written defines one of these; where both may be literals, none. */
static void keep(struct fold *f, const struct op *op, bool is_in_function)
{
    const bool is_type = op->code >= OP_TYPE_VOID && op->code <= OP_TYPE_FORWARD_POINTER;
    if (is_in_function && op->code != OP_LINE && op->code != OP_SELECTION_MERGE) {
        id_of(f, word(op, 1))->is_kept = true;
        id_of(f, word(op, 2))->is_kept = true;
    } else if (!is_in_function) {
        id_of(f, word(op, is_type ? 1 : 2))->is_kept = true;
    }
}

/* What is defined is known before it is decorated. */
static void keep_all(struct fold *f, uint32_t functions)
{
    struct op op;
    uint32_t block = 0;
    bool is_called = false;
    for (uint32_t at = N_HEADER_WORDS; next_op(f, &at, &op);) {
        const bool is_in_function = (uint32_t)(op.words - f->words) >= functions;
        if (op.code == OP_FUNCTION) {
            is_called = id_of(f, word(&op, 2))->is_needed;
            block = 0;
        } else if (op.code == OP_LABEL) {
            block = word(&op, 1);
        }
        const bool is_global =
            !is_in_function &&
            ((op.code >= OP_TYPE_VOID && op.code <= OP_VARIABLE) || op.code == OP_UNDEF);
        if (is_global ||
            (is_in_function && is_called && (block == 0 || id_of(f, block)->is_reached))) {
            keep(f, &op, is_in_function);
        }
    }
}

static void put_all(struct fold *f, uint32_t functions)
{
    struct op op;
    uint32_t at = N_HEADER_WORDS;
    put(f, f->words, N_HEADER_WORDS);
    while (at < functions && next_op(f, &at, &op)) {
        put_global(f, &op);
    }
    while (next_op(f, &at, &op)) {
        const uint32_t begin = f->n_out;
        put(f, op.words, op.n_words);
        put_function(f, &at);
        f->n_out = id_of(f, word(&op, 2))->is_needed ? f->n_out : begin;
    }
}

/* What stands before the functions; returns where they begin. */
static uint32_t read_globals(struct fold *f)
{
    struct op op;
    uint32_t at = N_HEADER_WORDS, functions = N_HEADER_WORDS;
    while (next_op(f, &at, &op) && op.code != OP_FUNCTION) {
        learn(f, &op);
        if (op.code == OP_ENTRY_POINT) {
            reach(f, word(&op, 2));
        }
        functions = at;
    }
    for (at = functions; next_op(f, &at, &op);) {
        id_of(f, word(&op, 1))->is_block |= op.code == OP_LABEL;
    }
    return functions;
}

enum mb_status mb_fold(const struct mb_shader *shader, const uint32_t *values, uint32_t **code,
                       size_t *code_bytes, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const uint32_t n_words = (uint32_t)(shader->code_bytes / sizeof *shader->code);
    struct fold f = {
        .shader = shader, .values = values, .words = shader->code, .n_words = n_words};
    *code = NULL;
    *code_bytes = 0;
    f.bound = n_words > N_HEADER_WORDS ? shader->code[3] : 0;
    if (f.bound == 0 || f.bound > MAX_BOUND || !is_sound(&f)) {
        return MB_OK;
    }
    f.ids = mb_alloc(f.bound, sizeof *f.ids);
    MB_TRY(MB_NEED(f.ids, shader->name));
    /* Even of one word, as in no sound module, an instruction becomes four at most. */
    f.out = mb_alloc(4 * (size_t)n_words + 1, sizeof *f.out);
    MB_TRY(MB_NEED(f.out, shader->name));
    const uint32_t functions = read_globals(&f);
    follow_calls(&f, functions);
    keep_all(&f, functions);
    put_all(&f, functions);
    if (!f.is_foreign) {
        *code = f.out;
        *code_bytes = f.n_out * sizeof *f.out;
        f.out = NULL;
    }
fail:
    mb_free(f.ids);
    mb_free(f.out);
    return status;
}
