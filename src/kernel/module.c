/* The first pass over a SPIR-V module. What is noted of which instruction is one table. */
#include "kernel/module.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

#define MAGIC              0x07230203u
#define MAGIC_SWAPPED      0x03022307u
#define MAX_IDS            (4u << 20)
#define VERSION_1_4        0x00010400u /* since which entry points list all their variables */
#define MODEL_COMPUTE      5u
#define BUILT_IN_WORKGROUP 25u
#define ADDRESS_BYTES      8u
#define FIRST_OF_COMPOSITE 3u
#define OPERAND_OF_SPEC_OP 4u

enum mb_status mb_module_refuse(const struct mb_module *m, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    va_end(args);
    return MB_FAIL(m->err, MB_ERRC_INPUT, "%s: %s", m->path, text);
}

/* ---- Words */

uint32_t mb_op_at(const struct mb_module *m, uint32_t at)
{
    return m->words[at] & 0xffffu;
}

uint32_t mb_words_at(const struct mb_module *m, uint32_t at)
{
    return m->words[at] >> 16;
}

/* The text that begins at word `first` of an instruction; NULL where no zero ends it there. */
const char *mb_literal(const struct mb_module *m, uint32_t at, uint32_t first)
{
    const uint32_t n = mb_words_at(m, at);
    if (first >= n) {
        return NULL;
    }
    const char *text = (const char *)&m->words[at + first];
    return memchr(text, '\0', (size_t)(n - first) * 4) != NULL ? text : NULL;
}

static uint32_t literal_words(const char *text)
{
    return (uint32_t)(strlen(text) / 4 + 1);
}

const struct mb_id *mb_id_of(const struct mb_module *m, uint32_t id)
{
    static const struct mb_id none = {0};
    return id < m->bound ? &m->ids[id] : &none;
}

/* The instruction that defines an id, by which its kind is known; 0: none. */
uint32_t mb_op_of(const struct mb_module *m, uint32_t id)
{
    const uint32_t at = mb_id_of(m, id)->at;
    return at != 0 ? mb_op_at(m, at) : 0;
}

/* A word of the instruction that defines an id which there is. */
uint32_t mb_word_of(const struct mb_module *m, uint32_t id, uint32_t word)
{
    return m->words[m->ids[id].at + word];
}

const struct mb_decorations *mb_decorations_of(const struct mb_module *m, uint32_t id)
{
    return &m->decorations[mb_id_of(m, id)->decorations];
}

void mb_name_of(const struct mb_module *m, uint32_t id, char out[MB_SPIRV_NAME_BYTES])
{
    const uint32_t at = mb_id_of(m, id)->name_at;
    mb_utf8_sanitize(at != 0 ? (const char *)&m->words[at + 2] : "", out, MB_SPIRV_NAME_BYTES);
}

/* ---- Annotations */

static enum mb_status take_name(struct mb_module *m, uint32_t at)
{
    const uint32_t id = m->words[at + 1];
    MB_REFUSE_IF(id >= m->bound || mb_literal(m, at, 2) == NULL, m,
                 "damaged SPIR-V: a name at word %u is of no id, or has no end", at);
    m->ids[id].name_at = at;
    return MB_OK;
}

/* Those of an id, made if there are none. */
static enum mb_status decorate(struct mb_module *m, uint32_t id, struct mb_decorations **out)
{
    struct mb_err *err = m->err;
    MB_REFUSE_IF(id >= m->bound, m, "damaged SPIR-V: an id above its bound is decorated");
    if (m->ids[id].decorations == 0) {
        void *grown = mb_grow(m->decorations, m->n_decorations, sizeof *m->decorations);
        MB_DO(MB_NEED(grown, m->path));
        m->decorations = grown;
        m->decorations[m->n_decorations] = m->decorations[0];
        m->ids[id].decorations = m->n_decorations++;
    }
    *out = &m->decorations[m->ids[id].decorations];
    return MB_OK;
}

static enum mb_status take_decoration(struct mb_module *m, uint32_t at)
{
    struct mb_decorations *d = NULL;
    const uint32_t *words = &m->words[at], id = words[1];
    const uint32_t value = mb_words_at(m, at) > 3 ? words[3] : MB_NONE;
    switch (words[2]) {
    case MB_DECORATION_SPEC_ID:
    case MB_DECORATION_ARRAY_STRIDE:
    case MB_DECORATION_BUILT_IN:
    case MB_DECORATION_BINDING:
    case MB_DECORATION_DESCRIPTOR_SET:
        MB_REFUSE_IF(value == MB_NONE, m,
                     "damaged SPIR-V: a decoration at word %u has no value", at);
        break;
    case MB_DECORATION_BUFFER_BLOCK:
    case MB_DECORATION_NON_WRITABLE:
    case MB_DECORATION_NON_READABLE:
        break;
    default:
        return MB_OK;
    }
    MB_DO(decorate(m, id, &d));
    d->spec_id = words[2] == MB_DECORATION_SPEC_ID ? value : d->spec_id;
    d->stride = words[2] == MB_DECORATION_ARRAY_STRIDE ? value : d->stride;
    d->binding = words[2] == MB_DECORATION_BINDING ? value : d->binding;
    d->set = words[2] == MB_DECORATION_DESCRIPTOR_SET ? value : d->set;
    d->is_workgroup_size |= words[2] == MB_DECORATION_BUILT_IN && value == BUILT_IN_WORKGROUP;
    d->is_buffer_block |= words[2] == MB_DECORATION_BUFFER_BLOCK;
    d->is_not_written |= words[2] == MB_DECORATION_NON_WRITABLE;
    d->is_not_read |= words[2] == MB_DECORATION_NON_READABLE;
    return MB_OK;
}

static enum mb_status take_member_decoration(struct mb_module *m, uint32_t at)
{
    struct mb_decorations *d = NULL;
    const uint32_t *words = &m->words[at], member = words[2], kind = words[3];
    const bool has_value = mb_words_at(m, at) > 4;
    if (kind != MB_DECORATION_NON_WRITABLE && kind != MB_DECORATION_NON_READABLE &&
        kind != MB_DECORATION_OFFSET && kind != MB_DECORATION_MATRIX_STRIDE) {
        return MB_OK;
    }
    MB_REFUSE_IF(!has_value &&
                     (kind == MB_DECORATION_OFFSET || kind == MB_DECORATION_MATRIX_STRIDE),
                 m, "damaged SPIR-V: a decoration at word %u has no value", at);
    MB_DO(decorate(m, words[1], &d));
    d->n_not_written += kind == MB_DECORATION_NON_WRITABLE;
    d->n_not_read += kind == MB_DECORATION_NON_READABLE;
    if (kind == MB_DECORATION_OFFSET && words[4] >= d->last_offset) {
        d->last_offset = words[4];
        d->last_member = member;
    } else if (kind == MB_DECORATION_MATRIX_STRIDE) {
        d->matrix_stride = words[4];
        d->matrix_member = member;
    }
    return MB_OK;
}

static enum mb_status take_group(struct mb_module *m, uint32_t at)
{
    return mb_module_refuse(m, "groups of decorations, which are deprecated: spirv-opt "
                               "--flatten-decorations makes plain ones of them");
}

/* ---- Types and constants */

uint32_t mb_at_most_32_bits(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* An array's or matrix's bytes: to the end of the last element. */
uint32_t mb_bytes_of_elements(uint64_t n, uint64_t stride, uint32_t element_bytes)
{
    return n == 0 ? 0
                  : mb_at_most_32_bits((n - 1) * (stride != 0 ? stride : element_bytes) +
                                       element_bytes);
}

/* A type that others are made of: defined, and its size as much as is known of it. */
enum mb_status mb_need_type(const struct mb_module *m, uint32_t id, uint32_t at)
{
    const uint32_t op = mb_op_of(m, id);
    const bool is_type = (op >= MB_OP_TYPE_BOOL && op <= MB_OP_TYPE_FORWARD_POINTER) ||
                         op == MB_OP_TYPE_ACCELERATION_STRUCTURE;
    MB_REFUSE_IF(!is_type, m,
                 "damaged SPIR-V: word %u names a type that is not defined before it", at);
    return MB_OK;
}

static enum mb_status take_scalar(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at];
    const uint32_t n_bits = mb_op_at(m, at) == MB_OP_TYPE_BOOL ? 32 : words[2];
    m->ids[words[1]].value = n_bits / 8;
    return MB_OK;
}

static enum mb_status take_vector(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at];
    MB_DO(mb_need_type(m, words[2], at));
    m->ids[words[1]].value = mb_bytes_of_elements(words[3], 0, m->ids[words[2]].value);
    return MB_OK;
}

static enum mb_status take_array(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at];
    const bool has_length = mb_op_at(m, at) == MB_OP_TYPE_ARRAY;
    MB_DO(mb_need_type(m, words[2], at));
    const struct mb_id *length = mb_id_of(m, has_length ? words[3] : 0);
    MB_REFUSE_IF(has_length && length->at == 0, m,
                 "damaged SPIR-V: the length of an array at word %u is not defined before it",
                 at);
    struct mb_id *id = &m->ids[words[1]];
    id->is_specialised = length->is_specialised || m->ids[words[2]].is_specialised;
    id->value =
        mb_bytes_of_elements(length->is_known ? length->value : 0,
                             mb_decorations_of(m, words[1])->stride, m->ids[words[2]].value);
    return MB_OK;
}

/* Without offsets, as shared memory has it: the sum of the members. */
static enum mb_status take_struct(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at];
    const uint32_t n_members = mb_words_at(m, at) - MB_FIRST_OF_STRUCT;
    const struct mb_decorations *d = mb_decorations_of(m, words[1]);
    struct mb_id *id = &m->ids[words[1]];
    uint64_t n_bytes = 0;
    for (uint32_t i = 0; i < n_members; i++) {
        const uint32_t type = words[MB_FIRST_OF_STRUCT + i];
        MB_DO(mb_need_type(m, type, at));
        n_bytes += m->ids[type].value;
        id->is_specialised |= m->ids[type].is_specialised;
    }
    if (d->last_offset != 0 && d->last_member < n_members) {
        const uint32_t type = words[MB_FIRST_OF_STRUCT + d->last_member];
        const bool is_strided =
            d->matrix_member == d->last_member && mb_op_of(m, type) == MB_OP_TYPE_MATRIX;
        n_bytes = d->last_offset;
        n_bytes += !is_strided ? m->ids[type].value
                               : mb_bytes_of_elements(mb_word_of(m, type, 3), d->matrix_stride,
                                                      m->ids[mb_word_of(m, type, 2)].value);
    }
    id->value = mb_at_most_32_bits(n_bytes);
    return MB_OK;
}

static enum mb_status take_pointer(struct mb_module *m, uint32_t at)
{
    m->ids[m->words[at + 1]].value = ADDRESS_BYTES;
    return MB_OK;
}

/* Its pointer is defined later, and until then by this. */
static enum mb_status take_forward_pointer(struct mb_module *m, uint32_t at)
{
    const uint32_t id = m->words[at + 1];
    MB_REFUSE_IF(id == 0 || id >= m->bound || m->ids[id].at != 0, m,
                 "damaged SPIR-V: a pointer is announced at word %u that is there", at);
    m->ids[id].at = at;
    return take_pointer(m, at);
}

static enum mb_status take_bool(struct mb_module *m, uint32_t at)
{
    const uint32_t op = mb_op_at(m, at);
    struct mb_id *id = &m->ids[m->words[at + 2]];
    id->value = op == MB_OP_CONSTANT_TRUE || op == MB_OP_SPEC_CONSTANT_TRUE;
    id->is_known = true;
    id->is_specialised = op == MB_OP_SPEC_CONSTANT_TRUE || op == MB_OP_SPEC_CONSTANT_FALSE;
    return MB_OK;
}

static enum mb_status take_constant(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at];
    struct mb_id *id = &m->ids[words[2]];
    id->value = words[3];
    id->is_known = mb_words_at(m, at) == 4;
    id->is_specialised = mb_op_at(m, at) == MB_OP_SPEC_CONSTANT;
    return MB_OK;
}

static enum mb_status take_composite(struct mb_module *m, uint32_t at)
{
    const uint32_t id = m->words[at + 2];
    if (mb_decorations_of(m, id)->is_workgroup_size) {
        MB_REFUSE_IF(mb_words_at(m, at) != FIRST_OF_COMPOSITE + 3, m,
                     "damaged SPIR-V: gl_WorkGroupSize has not three parts");
        m->sizes_at = at + FIRST_OF_COMPOSITE;
    }
    return MB_OK;
}

/* False where it is not one of those that lengths are made of. */
static bool fold(uint32_t op, uint32_t a, uint32_t b, uint32_t *value)
{
    switch (op) {
    case MB_OP_I_ADD:
        *value = a + b;
        return true;
    case MB_OP_I_SUB:
        *value = a - b;
        return true;
    case MB_OP_I_MUL:
        *value = a * b;
        return true;
    case MB_OP_S_DIV: /* of what is not negative */
    case MB_OP_U_DIV:
        *value = b != 0 ? a / b : 0;
        return b != 0 && (op == MB_OP_U_DIV || (a | b) <= INT32_MAX);
    case MB_OP_U_MOD:
        *value = b != 0 ? a % b : 0;
        return b != 0;
    case MB_OP_SHIFT_RIGHT_LOGICAL:
        *value = b < 32 ? a >> b : 0;
        return b < 32;
    case MB_OP_SHIFT_LEFT_LOGICAL:
        *value = b < 32 ? a << b : 0;
        return b < 32;
    default:
        return false;
    }
}

/* An operation on constants, by their defaults. */
static enum mb_status take_operation(struct mb_module *m, uint32_t at)
{
    const uint32_t *words = &m->words[at], n = mb_words_at(m, at);
    struct mb_id *id = &m->ids[words[2]];
    id->is_specialised = true;
    if (n != OPERAND_OF_SPEC_OP + 2) {
        return MB_OK;
    }
    const uint32_t a = words[OPERAND_OF_SPEC_OP], b = words[OPERAND_OF_SPEC_OP + 1];
    const struct mb_id *x = mb_id_of(m, a), *y = mb_id_of(m, b);
    if (words[3] == MB_OP_COMPOSITE_EXTRACT) {
        const uint32_t op = mb_op_of(m, a);
        if ((op == MB_OP_CONSTANT_COMPOSITE || op == MB_OP_SPEC_CONSTANT_COMPOSITE) &&
            b < mb_words_at(m, x->at) - FIRST_OF_COMPOSITE) {
            const struct mb_id *part = mb_id_of(m, mb_word_of(m, a, FIRST_OF_COMPOSITE + b));
            id->value = part->value;
            id->is_known = part->is_known;
        }
        return MB_OK;
    }
    id->is_known = x->is_known && y->is_known && fold(words[3], x->value, y->value, &id->value);
    return MB_OK;
}

/* ---- The module as a whole */

static enum mb_status take_entry(struct mb_module *m, uint32_t at)
{
    const char *name = mb_literal(m, at, MB_NAME_OF_ENTRY);
    MB_REFUSE_IF(name == NULL, m, "damaged SPIR-V: the name of an entry point has no end");
    m->n_entries++;
    if (m->words[at + 1] != MODEL_COMPUTE) {
        return MB_OK;
    }
    if (strcmp(name, m->entry) == 0) {
        MB_REFUSE_IF(m->entry_at != 0, m, "damaged SPIR-V: two entry points are called '%s'",
                     name);
        m->entry_at = at;
    }
    return MB_OK;
}

static enum mb_status take_capability(struct mb_module *m, uint32_t at)
{
    MB_REFUSE_IF(m->n_capabilities == MB_SPIRV_MAX_CAPABILITIES, m, "more than %u capabilities",
                 MB_SPIRV_MAX_CAPABILITIES);
    m->capabilities[m->n_capabilities++] = m->words[at + 1];
    return MB_OK;
}

static enum mb_status take_nothing(struct mb_module *m, uint32_t at)
{
    return MB_OK;
}

/* What the first pass looks at: the fewest words, which of them is the id that is defined (0:
 * none is), and what is noted. */
static const struct {
    uint16_t op, n_words, result;
    enum mb_status (*take)(struct mb_module *m, uint32_t at);
} rules[] = {
    {MB_OP_NAME, 3, 0, take_name},
    {MB_OP_MEMBER_NAME, 4, 0, take_nothing},
    {MB_OP_ENTRY_POINT, 4, 0, take_entry},
    {MB_OP_EXECUTION_MODE, 3, 0, take_nothing},
    {MB_OP_EXECUTION_MODE_ID, 3, 0, take_nothing},
    {MB_OP_CAPABILITY, 2, 0, take_capability},
    {MB_OP_TYPE_BOOL, 2, 1, take_scalar},
    {MB_OP_TYPE_INT, 4, 1, take_scalar},
    {MB_OP_TYPE_FLOAT, 3, 1, take_scalar},
    {MB_OP_TYPE_VECTOR, 4, 1, take_vector},
    {MB_OP_TYPE_MATRIX, 4, 1, take_vector},
    {MB_OP_TYPE_IMAGE, 9, 1, take_nothing},
    {MB_OP_TYPE_SAMPLER, 2, 1, take_nothing},
    {MB_OP_TYPE_SAMPLED_IMAGE, 3, 1, take_nothing},
    {MB_OP_TYPE_ARRAY, 4, 1, take_array},
    {MB_OP_TYPE_RUNTIME_ARRAY, 3, 1, take_array},
    {MB_OP_TYPE_STRUCT, 2, 1, take_struct},
    {MB_OP_TYPE_POINTER, 4, 1, take_pointer},
    {MB_OP_TYPE_FORWARD_POINTER, 3, 0, take_forward_pointer},
    {MB_OP_TYPE_ACCELERATION_STRUCTURE, 2, 1, take_nothing},
    {MB_OP_CONSTANT_TRUE, 3, 2, take_bool},
    {MB_OP_CONSTANT_FALSE, 3, 2, take_bool},
    {MB_OP_CONSTANT, 4, 2, take_constant},
    {MB_OP_CONSTANT_COMPOSITE, 3, 2, take_composite},
    {MB_OP_SPEC_CONSTANT_TRUE, 3, 2, take_bool},
    {MB_OP_SPEC_CONSTANT_FALSE, 3, 2, take_bool},
    {MB_OP_SPEC_CONSTANT, 4, 2, take_constant},
    {MB_OP_SPEC_CONSTANT_COMPOSITE, 3, 2, take_composite},
    {MB_OP_SPEC_CONSTANT_OP, 4, 2, take_operation},
    {MB_OP_VARIABLE, 4, 2, take_nothing},
    {MB_OP_DECORATE, 3, 0, take_decoration},
    {MB_OP_MEMBER_DECORATE, 4, 0, take_member_decoration},
    {MB_OP_DECORATION_GROUP, 2, 0, take_group},
};

static enum mb_status define(struct mb_module *m, uint32_t id, uint32_t at)
{
    MB_REFUSE_IF(id == 0 || id >= m->bound, m,
                 "damaged SPIR-V: an id at word %u is not below %u", at, m->bound);
    const uint32_t before = mb_op_of(m, id);
    const bool is_announced =
        before == MB_OP_TYPE_FORWARD_POINTER && mb_op_at(m, at) == MB_OP_TYPE_POINTER;
    MB_REFUSE_IF(before != 0 && !is_announced, m,
                 "damaged SPIR-V: an id is defined twice, again at word %u", at);
    m->ids[id].at = at;
    return MB_OK;
}

static enum mb_status note(struct mb_module *m, uint32_t at)
{
    for (size_t i = 0; i < MB_COUNTOF(rules); i++) {
        if (rules[i].op != mb_op_at(m, at)) {
            continue;
        }
        MB_REFUSE_IF(mb_words_at(m, at) < rules[i].n_words, m,
                     "damaged SPIR-V: an instruction at word %u is too short", at);
        if (rules[i].result != 0) {
            MB_DO(define(m, m->words[at + rules[i].result], at));
        }
        return rules[i].take(m, at);
    }
    return MB_OK;
}

/* Of functions, only that they are there is noted. */
static enum mb_status note_all(struct mb_module *m)
{
    m->first_function = m->n_words;
    for (uint32_t at = MB_N_HEADER_WORDS; at < m->n_words; at += mb_words_at(m, at)) {
        const uint32_t n = mb_words_at(m, at);
        MB_REFUSE_IF(n == 0 || n > m->n_words - at, m,
                     "damaged SPIR-V: an instruction at word %u of %u reaches past the end", at,
                     m->n_words);
        if (mb_op_at(m, at) == MB_OP_FUNCTION) {
            MB_REFUSE_IF(n != 5, m, "damaged SPIR-V: a function at word %u", at);
            MB_DO(define(m, m->words[at + 2], at));
            m->first_function = at < m->first_function ? at : m->first_function;
        } else if (m->first_function == m->n_words) {
            MB_DO(note(m, at));
        }
    }
    return MB_OK;
}

/* ---- Its entry point */

/* In a module of several entry points, ours says itself which variables it uses. */
static void mark_used(struct mb_module *m)
{
    m->is_all_used = m->n_entries == 1 || m->version < VERSION_1_4;
    const uint32_t first =
        MB_NAME_OF_ENTRY + literal_words(mb_literal(m, m->entry_at, MB_NAME_OF_ENTRY));
    for (uint32_t i = first; i < mb_words_at(m, m->entry_at); i++) {
        const uint32_t id = m->words[m->entry_at + i];
        if (id < m->bound) {
            m->ids[id].is_used = true;
        }
    }
}

static enum mb_status need_entry(const struct mb_module *m)
{
    MB_SCOPED(mb_strbuf) names = {0};
    uint32_t n = 0, n_named = 0;
    if (m->entry_at != 0) {
        const uint32_t at = mb_id_of(m, m->words[m->entry_at + 2])->at;
        MB_REFUSE_IF(at == 0 || mb_op_at(m, at) != MB_OP_FUNCTION, m,
                     "damaged SPIR-V: the function of entry point '%s' is missing", m->entry);
        const uint32_t body = at + mb_words_at(m, at);
        MB_REFUSE_IF(body >= m->n_words || mb_op_at(m, body) != MB_OP_LABEL, m,
                     "the function of entry point '%s' is empty", m->entry);
        return MB_OK;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t at = MB_N_HEADER_WORDS; at < m->first_function;
             at += mb_words_at(m, at)) {
            if (mb_op_at(m, at) != MB_OP_ENTRY_POINT || m->words[at + 1] != MODEL_COMPUTE) {
                continue;
            }
            if (pass == 0) {
                n++;
            } else {
                mb_strbuf_list(&names, mb_literal(m, at, MB_NAME_OF_ENTRY), n_named++, n);
            }
        }
    }
    MB_REFUSE_IF(n == 0, m, "no compute shader: it has no entry point of one");
    MB_DO(mb_strbuf_check(&names, m->err));
    return mb_module_refuse(m, "no entry point '%s': there is %s", m->entry,
                            mb_strbuf_text(&names));
}

/* ---- All of it */

static enum mb_status read_header(struct mb_module *m)
{
    MB_REFUSE_IF(m->n_words < MB_N_HEADER_WORDS, m, "not a SPIR-V module: only %u words",
                 m->n_words);
    MB_REFUSE_IF(m->words[0] == MAGIC_SWAPPED, m,
                 "a SPIR-V module of the other order of bytes");
    MB_REFUSE_IF(m->words[0] != MAGIC, m, "not a SPIR-V module: it does not begin as one");
    m->version = m->words[1];
    m->bound = m->words[3];
    MB_REFUSE_IF(m->version >> 16 != 1, m, "a SPIR-V module of version %u.%u, not 1",
                 m->version >> 16, m->version >> 8 & 0xff);
    MB_REFUSE_IF(m->bound == 0 || m->bound > MAX_IDS, m,
                 "damaged SPIR-V: a bound of %u ids, not 1 to %u", m->bound, MAX_IDS);
    return MB_OK;
}

enum mb_status mb_module_init(struct mb_module *module, const char *path, const uint32_t *words,
                              uint32_t n_words, const char *entry, struct mb_err *err)
{
    *module = (struct mb_module){
        .path = path, .words = words, .n_words = n_words, .entry = entry, .err = err};
    MB_DO(read_header(module));
    module->ids = mb_alloc(module->bound, sizeof *module->ids);
    MB_DO(MB_NEED(module->ids, path));
    module->decorations = mb_grow(NULL, 0, sizeof *module->decorations);
    MB_DO(MB_NEED(module->decorations, path));
    module->n_decorations = 1;
    module->decorations[0] = (struct mb_decorations){
        .set = MB_NONE, .binding = MB_NONE, .spec_id = MB_NONE, .matrix_member = MB_NONE};
    MB_DO(note_all(module));
    MB_DO(need_entry(module));
    mark_used(module);
    return MB_OK;
}

void mb_module_finish(struct mb_module *module)
{
    mb_free(module->ids);
    mb_free(module->decorations);
    *module = (struct mb_module){0};
}
