"""The rules for kernels whose workgroups hand data on through an atomic counter. Such a module must

 1. declare the Vulkan memory model with device scope;
 2. count with OpAtomicIAdd at Device scope that releases buffer memory and makes it available;
 3. acquire buffer memory at Device scope and make it visible (OpMemoryBarrier) after counting;
 4. pass that on to the workgroup by a control barrier with Device memory scope;
 5. access the hand-off data as non-private;
 6. have no other atomic read-modify-write, but in shared memory at Workgroup scope, and no control
    barrier wider than the workgroup before the count, which would make every workgroup wait for its own stores; a counter that is set
    back to zero is so at Device scope.

A kernel may count in several places: 2 to 4 hold for each of them, up to the next.

A kernel that reduces shared memory in place must besides, up to the count,

 7. have a control barrier between reading it and writing it, and one between writing and reading
    it (the texel handed over, read by the invocation that wrote it, aside).

A kernel that hands on by slots counts in one invocation what several have left, at last (tail.glsl, before, counts
what the same invocation left), and must, between leaving and that count,

 8. have a control barrier that releases and acquires buffer memory;

and where a subgroup goes on from what one of its invocations acquired,

 9. pass that on by a control barrier of the subgroup with Device memory scope;

and where the last workgroup makes level after level of what was left,

10. have a barrier as in 8 between writing and reading it, and behind the last level.

"Before" and "after" are those of the call tree from main, with every call replaced by its body.
"""
from spirv_module import (ACQUIRE, ACQUIRE_RELEASE, BUFFER, MAKE_AVAILABLE, MAKE_VISIBLE, RELEASE,
                          SCOPE_DEVICE, SCOPE_SUBGROUP, SCOPE_WORKGROUP, SHARED, broken_by, has)

SLOT_BINDING = 2

KERNELS = ["spd/spd_wave", "spd/spd_shared", "spd/spd_wide", "spd/spd_wave_half",
           "spd/spd_shared_half", "spd/spd_wide_half", "spd-metal/spd_metal"]


def has_slots(kernel):
    """Whether it hands on by slots, and one invocation counts what several have left."""
    return "-DSLOTS" in kernel.args


def goes_on_by_subgroups(kernel):
    """Whether a subgroup goes on from what one of its invocations acquired (tail.glsl)."""
    return has_slots(kernel) and {"-DSUBGROUPS", "-DEVEN"} <= set(kernel.args)


def is_in_place(kernel):
    """Whether it writes cells of shared memory which other invocations read."""
    return kernel.name == "spd-metal/spd_metal"


# Name of the rule that must catch it, pattern in the kernel or what it includes, replacement.
BREAKAGES = [
    ("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelaxed);"),
    ("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelease);"),
    ("scope", "], 1u, gl_ScopeDevice", "], 1u, gl_ScopeWorkgroup"),
    ("acquire", "gl_SemanticsAcquire | gl_SemanticsMakeVisible);", "gl_SemanticsAcquire);"),
    ("acquire", "memoryBarrier(gl_ScopeDevice", "memoryBarrier(gl_ScopeWorkgroup"),
    ("barrier", "controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice", "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup"),
    ("barrier", " acquire_hand_off();\n", " barrier();\n"),
    ("private", "nonprivate buffer HandOff", "buffer HandOff"),
    ("rearm", "], 0u, gl_ScopeDevice", "], 0u, gl_ScopeWorkgroup"),
]
SLOTS_BREAKAGES = [
    ("private", "nonprivate buffer Slots", "buffer Slots"),
    ("left", "    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,\n"
     "                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,\n"
     "                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |\n"
     "                       gl_SemanticsMakeVisible);\n", "    barrier();\n"),
    ("left", "    leave_hand_off();\n", "    barrier();\n"),
    ("counter", "atomicAdd(n_common, 1u, gl_ScopeWorkgroup", "atomicAdd(n_common, 1u, gl_ScopeDevice"),
    ("counter", "atomicAdd(n_complete, 1u, gl_ScopeWorkgroup", "atomicAdd(n_complete, 1u, gl_ScopeSubgroup"),
    ("counter", "atomicAdd(n_arrived[first_slot]", "atomicOr(n_arrived[first_slot]"),
    ("barrier", "acquire_hand_off();\n#ifdef SUBGROUPS", "barrier();\n#ifdef SUBGROUPS"),
    ("barrier", "#endif\n    acquire_hand_off();", "#endif\n    barrier();"),
    ("barrier", "    acquire_cell();\n", ""),
]
SUBGROUPS_BREAKAGES = [
    ("barrier", "controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice", "controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup"),
    ("barrier", "gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer",
     "gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsShared"),
]
UPDATES_BREAKAGES = [
    ("barrier", "acquire_hand_off();\n    int", "barrier();\n    int"),
    ("levels", "first_held + 1) {\n            leave_hand_off();\n", "first_held + 1) {\n            barrier();\n"),
    ("levels", "first_held) {\n            leave_hand_off();\n", "first_held) {\n            barrier();\n"),
    ("private", "nonprivate buffer Codes", "buffer Codes"),
]
IN_PLACE_BREAKAGES = [
    ("tile", "    barrier();\n    if (has_texel) {\n        store", "    if (has_texel) {\n        store"),
    ("tile", "    barrier();\n    if (has_texel) {\n        texel", "    if (has_texel) {\n        texel"),
]


def is_ordered(instructions):
    """Whether a control barrier lies between reads and writes of shared memory, up to the last
    write."""
    steps = [op for op, operands in instructions if op == "OpControlBarrier" or
             op in ("OpLoad", "OpStore") and "|NonPrivatePointer" in " ".join(operands)]
    while steps and steps[-1] != "OpStore":
        steps.pop()
    return "OpStore" in steps and all({a, b} != {"OpLoad", "OpStore"}
                                      for a, b in zip(steps, steps[1:]))


def is_acquired(instructions, value):
    """The rules on what follows a count, up to the next, that are broken."""
    found = []
    fences = [ops for op, ops in instructions if op == "OpMemoryBarrier"]
    if not any(value(ops[0]) == SCOPE_DEVICE and has(value(ops[1]), BUFFER, MAKE_VISIBLE) and
               value(ops[1]) & (ACQUIRE | ACQUIRE_RELEASE) for ops in fences):
        found.append("acquire")
    barriers = [ops for op, ops in instructions if op == "OpControlBarrier"]
    if not any(value(ops[0]) == SCOPE_WORKGROUP and value(ops[1]) == SCOPE_DEVICE and
               is_full(ops, value) for ops in barriers):
        found.append("barrier")
    return found


def is_full(barrier, value):
    """Whether a barrier releases and acquires buffer memory and makes it available and visible."""
    return has(value(barrier[2]), ACQUIRE_RELEASE, BUFFER, MAKE_AVAILABLE, MAKE_VISIBLE)


def is_left(module, instructions):
    """Whether a barrier lies behind what is written to slots last, up to a count."""
    is_full_behind = False
    for op, ops in instructions:
        if op == "OpStore" and module.binding(ops[0]) == SLOT_BINDING:
            is_full_behind = False
        elif op == "OpControlBarrier" and is_full(ops, module.value):
            is_full_behind = True
    return is_full_behind


def is_acquired_by_subgroups(instructions, value):
    """Whether there are control barriers of subgroups, each of which passes on what one invocation acquired."""
    barriers = [ops for op, ops in instructions
                if op == "OpControlBarrier" and value(ops[0]) == SCOPE_SUBGROUP]
    return bool(barriers) and all(value(ops[1]) == SCOPE_DEVICE and is_full(ops, value)
                                  for ops in barriers)


def is_level_by_level(module, instructions):
    """Whether a barrier lies between what is written to slots and what is read of them next, in the order of the
    code, and one behind the last that is written."""
    is_written = is_read_early = has_written = False
    for op, ops in instructions:
        if op == "OpControlBarrier" and is_full(ops, module.value):
            is_written = False
        elif op == "OpStore" and module.binding(ops[0]) == SLOT_BINDING:
            is_written = has_written = True
        elif op == "OpLoad" and module.binding(ops[1]) == SLOT_BINDING:
            is_read_early = is_read_early or is_written
    return has_written and not is_written and not is_read_early


def problems(module, kernel):
    """The rules that a module breaks."""
    instructions, value = module.instructions, module.value
    found = [] if module.has_memory_model() else ["model"]
    is_slots = has_slots(kernel)

    adds = [i for i, (op, ops) in enumerate(instructions)
            if op == "OpAtomicIAdd" and not module.is_shared(ops[1])]
    others = [op for op, ops in instructions
              if op.startswith("OpAtomic") and op not in ("OpAtomicIAdd", "OpAtomicStore") or
              op == "OpAtomicIAdd" and module.is_shared(ops[1]) and value(ops[2]) != SCOPE_WORKGROUP]
    if not adds or others:
        return found + ["counter"]
    for add, end in zip(adds, [*adds[1:], len(instructions)]):
        _, _, scope, semantics, _ = instructions[add][1]
        if value(scope) != SCOPE_DEVICE:
            found.append("scope")
        if not (has(value(semantics), BUFFER, MAKE_AVAILABLE) and
                value(semantics) & (RELEASE | ACQUIRE_RELEASE)):
            found.append("release")
        found += is_acquired(instructions[add:end], value)

    if any(value(ops[1]) != SCOPE_DEVICE for op, ops in instructions if op == "OpAtomicStore"):
        found.append("rearm")

    count = adds[0]
    before = [ops for op, ops in instructions[:count] if op == "OpControlBarrier"]
    if any(value(ops[1]) != SCOPE_WORKGROUP or not has(value(ops[2]), SHARED) for ops in before):
        found.append("wide")
    # Shared memory is MakePointerAvailable|NonPrivatePointer at workgroup scope; buffers, which the
    # count orders, are NonPrivatePointer alone.
    stored = any(op == "OpStore" and ops[-1] == "NonPrivatePointer"
                 for op, ops in instructions[:count])
    loaded = any(op == "OpLoad" and ops[-1] == "NonPrivatePointer" for op, ops in instructions)
    if not (stored and loaded):
        found.append("private")
    if is_in_place(kernel) and not is_ordered(instructions[:count]):
        found.append("tile")
    if is_slots and not is_left(module, instructions[:adds[-1]]):
        found.append("left")
    if goes_on_by_subgroups(kernel) and not is_acquired_by_subgroups(instructions, value):
        found.append("barrier")
    if "-DUPDATES" in kernel.args and not is_level_by_level(module, instructions[adds[-1]:]):
        found.append("levels")
    return sorted(set(found))


def breakages_of(kernel):
    """(rule, pattern, replacement) of all that may be broken in a kernel."""
    is_slots = has_slots(kernel)
    literal = (BREAKAGES + is_in_place(kernel) * IN_PLACE_BREAKAGES + is_slots * SLOTS_BREAKAGES +
               goes_on_by_subgroups(kernel) * SUBGROUPS_BREAKAGES +
               ("-DUPDATES" in kernel.args) * UPDATES_BREAKAGES)
    return [broken_by(*breakage) for breakage in literal]
