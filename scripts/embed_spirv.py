#!/usr/bin/env python3
"""Embed SPIR-V modules as a C source that defines a `const struct mb_shader IDENTIFIER` for each, with
a table of its specialisation constants by name and one of its descriptor bindings.

usage: embed_spirv.py OUT.c {MODULE.spv IDENTIFIER NAME FLAGS}...
"""
import hashlib
import pathlib
import struct
import sys

# SPIR-V specification, "Instructions" and "Decoration".
OP_NAME, OP_DECORATE = 5, 71
OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE, OP_SPEC_CONSTANT, OP_SPEC_CONSTANT_COMPOSITE = 48, 49, 50, 51
SPEC_ID, BUILT_IN, WORKGROUP_SIZE = 1, 11, 25
OP_TYPE_IMAGE, OP_TYPE_SAMPLER, OP_TYPE_SAMPLED_IMAGE, OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY = 25, 26, 27, 28, 29
OP_TYPE_POINTER, OP_CONSTANT, OP_VARIABLE, BINDING, DESCRIPTOR_SET = 32, 43, 59, 33, 34
UNIFORM, STORAGE_BUFFER = 2, 12
BUFFER, SUBPASS_DATA = 5, 6  # dimensions of an image
MAX_BINDINGS, MAX_SETS = 16, 4  # as in src/vk/shader.h


def instructions(words):
    """(opcode, operands) of each instruction."""
    at = 5
    while at < len(words):
        length = words[at] >> 16
        yield words[at] & 0xffff, words[at + 1:at + length]
        at += length


def constants_of(words):
    """Sorted (id, name, default) of the specialisation constants; those of the size of a workgroup
    have no name of their own."""
    names, ids, values, sizes = {}, {}, {}, []
    for opcode, operands in instructions(words):
        if opcode == OP_NAME:
            text = struct.pack(f"<{len(operands) - 1}I", *operands[1:])
            names[operands[0]] = text.split(b"\0")[0].decode()
        elif opcode == OP_DECORATE and operands[1] == SPEC_ID:
            ids[operands[0]] = operands[2]
        elif opcode == OP_DECORATE and operands[1:3] == (BUILT_IN, WORKGROUP_SIZE):
            sizes.append(operands[0])
        elif opcode in (OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE):
            values[operands[1]] = int(opcode == OP_SPEC_CONSTANT_TRUE)
        elif opcode == OP_SPEC_CONSTANT:
            if len(operands) != 3:
                sys.exit(f"{names[operands[1]]}: a specialisation constant of more than 32 bits")
            values[operands[1]] = operands[2]
        elif opcode == OP_SPEC_CONSTANT_COMPOSITE and operands[1] in sizes:
            for axis, part in zip("xyz", operands[2:]):
                names.setdefault(part, f"gl_WorkGroupSize.{axis}")
    return sorted((number, names[result], values[result]) for result, number in ids.items())


def bindings_of(words):
    """Sorted (set, binding, type, count) of the descriptors."""
    types, lengths, places, found = {}, {}, {}, set()
    for opcode, operands in instructions(words):
        if opcode in (OP_TYPE_IMAGE, OP_TYPE_SAMPLER, OP_TYPE_SAMPLED_IMAGE, OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY,
                      OP_TYPE_POINTER):
            types[operands[0]] = (opcode, *operands[1:])
        elif opcode in (OP_CONSTANT, OP_SPEC_CONSTANT):
            lengths[operands[1]] = operands[2]
        elif opcode == OP_DECORATE and operands[1] in (BINDING, DESCRIPTOR_SET):
            places.setdefault(operands[0], {})[operands[1]] = operands[2]
    for opcode, operands in instructions(words):
        if opcode == OP_VARIABLE and operands[1] in places:
            place, kind, count = places[operands[1]], types[operands[0]][2], 1
            if types.get(kind, (0,))[0] == OP_TYPE_RUNTIME_ARRAY:
                sys.exit("an array of descriptors without a length")
            if types.get(kind, (0,))[0] == OP_TYPE_ARRAY:
                kind, count = types[kind][1], lengths[types[kind][2]]
            found.add((place[DESCRIPTOR_SET], place[BINDING], descriptor_type(types.get(kind), operands[2]), count))
    return sorted(found)


def descriptor_type(kind, storage_class):
    if storage_class in (UNIFORM, STORAGE_BUFFER):
        return "STORAGE_BUFFER" if storage_class == STORAGE_BUFFER else "UNIFORM_BUFFER"
    if kind[0] == OP_TYPE_IMAGE and kind[2] in (BUFFER, SUBPASS_DATA):
        sys.exit("a texel buffer or an input attachment: src/vk/pipeline.h has no such descriptors")
    if kind[0] == OP_TYPE_IMAGE:
        return "SAMPLED_IMAGE" if kind[6] == 1 else "STORAGE_IMAGE"
    return "SAMPLER" if kind[0] == OP_TYPE_SAMPLER else "COMBINED_IMAGE_SAMPLER"


def definition(module, identifier, name, flags):
    """C: the module, and what struct mb_shader says of it."""
    code = pathlib.Path(module).read_bytes()
    words = struct.unpack("<%dI" % (len(code) // 4), code)
    if len(code) % 4 or not words or words[0] != 0x07230203:
        sys.exit(f"{module}: not a SPIR-V module")
    lines = [", ".join("0x%08x" % w for w in words[i:i + 8]) for i in range(0, len(words), 8)]
    constants = constants_of(words)
    table = "".join(f'    {{"{text}", 0x{value:x}u}},\n' for _, text, value in constants)
    entries = "".join(f"    {{{number}, {4 * i}, 4}},\n" for i, (number, _, _) in enumerate(constants))
    bindings = bindings_of(words)
    if len(bindings) > MAX_BINDINGS or any(group >= MAX_SETS for group, _, _, _ in bindings):
        sys.exit(f"{module}: more than {MAX_BINDINGS} bindings or {MAX_SETS} descriptor sets")
    binding_table = "".join(f"    {{{group}, {binding}, VK_DESCRIPTOR_TYPE_{kind}, {count}}},\n"
                            for group, binding, kind, count in bindings)
    return (
        f"\nstatic const uint32_t {identifier}_code[] = {{\n    "
        + ",\n    ".join(lines) + ",\n};\n\n"
        f"static const struct mb_constant {identifier}_constants[] = {{\n{table}    {{0}},\n}};\n\n"
        f"static const VkSpecializationMapEntry {identifier}_entries[] = {{\n{entries}    {{0}},\n}};\n\n"
        f"static const struct mb_binding {identifier}_bindings[] = {{\n{binding_table}    {{0}},\n}};\n\n"
        f"extern const struct mb_shader {identifier};\nconst struct mb_shader {identifier} = {{\n"
        f'    .name = "{name}",\n'
        f'    .flags = "{flags}",\n'
        f"    .code = {identifier}_code,\n"
        f"    .code_bytes = sizeof {identifier}_code,\n"
        f"    .constants = {identifier}_constants,\n"
        f"    .entries = {identifier}_entries,\n"
        f"    .n_constants = {len(constants)},\n"
        f"    .bindings = {identifier}_bindings,\n"
        f"    .n_bindings = {len(bindings)},\n"
        f"    .n_sets = {max([group + 1 for group, _, _, _ in bindings], default=0)},\n"
        f'    .sha256 = "{hashlib.sha256(code).hexdigest()}",\n'
        "};\n")


def main(argv):
    if len(argv) < 6 or len(argv) % 4 != 2:
        sys.exit(__doc__)
    text = '/* Compiled shaders; generated by embed_spirv.py. */\n#include "vk/shader.h"\n'
    text += "".join(definition(*argv[i:i + 4]) for i in range(2, len(argv), 4))
    pathlib.Path(argv[1]).write_text(text)


if __name__ == "__main__":
    main(sys.argv)
