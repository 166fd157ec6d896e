"""The rules for kernels whose workgroups hand data on in the atomics themselves: words of bindings 2
and 3, which add up what is brought. Nothing else is handed on, so that an atomic on a word may be
relaxed. Such a module must

 1. declare the Vulkan memory model with device scope;
 2. access words by atomics alone;
 3. do so at Device scope;
 4. have no other atomics, but in shared memory;
 5. have no control barrier wider than the workgroup.

Where who is last takes words that others have completed, a count of those must besides

 6. acquire and release buffer memory and make it available and visible.
"""
from spirv_module import (ACQUIRE_RELEASE, BUFFER, CHAINS, MAKE_AVAILABLE, MAKE_VISIBLE,
                          SCOPE_DEVICE, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Breakage, broken_by)

KERNELS = [] # those of spd-tree without slots


def has_meetings(kernel):
    """Whether a texel may have several words, and binding 3 counts those that others have completed."""
    return "-DCHANNELS=1" not in kernel.args


WORD_BINDINGS = {2, 3}
MET_BINDING = 3

DEVICE_BARRIER = ("controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                  "gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | "
                  "gl_SemanticsMakeVisible);")
WAIT_FOR_ALL = ("controlBarrier(gl_ScopeDevice, gl_ScopeWorkgroup, gl_StorageSemanticsShared, "
                "gl_SemanticsAcquireRelease);")

BREAKAGES = [
    broken_by("wide", " barrier();", f" {DEVICE_BARRIER}"),
    broken_by("wide", " barrier();", f" {WAIT_FOR_ALL}"),
    Breakage("words", "atomics in another buffer", r"binding = 2(\) nonprivate buffer Shares)",
             r"binding = 8\1"),
]


def narrowed(function, buffer):
    """An atomic that only its own workgroup takes part in."""
    return Breakage("scope", f"{function} of {buffer}, workgroup scope",
                    rf"({function}\({buffer}\[[^;]*?)gl_ScopeDevice", r"\1gl_ScopeWorkgroup")


def stored_plainly(buffer):
    return Breakage("plain", f"{buffer} by a store",
                    rf"atomicStore\(({buffer}\[[^;]*?\]), ([^;]*?), gl_Scope[^;]*;", r"\1 = \2;")


def read_plainly(function, buffer):
    """The word as it is found, by a load."""
    return Breakage("plain", f"{buffer} by a load in place of {function}",
                    rf"{function}\(({buffer}\[[^;]*?\]), [^;]*?\)(?= \+|;)", r"\1")


def counted_by(storage, *semantics):
    """The count of what was met, with other semantics."""
    given = f"{storage}, {' | '.join(semantics) or 0}"
    return Breakage("met", f"n_met counted by {given}",
                    r"(atomicAdd\(n_met\[[^;]*?gl_ScopeDevice,\s)[^;]*;", rf"\g<1>{given});")


SHARE_BREAKAGES = [
    narrowed("atomicAdd", "share_word"), narrowed("atomicStore", "share_word"),
    stored_plainly("share_word"), read_plainly("atomicAdd", "share_word"),
]
MEETING_BREAKAGES = [
    narrowed("atomicLoad", "share_word"), narrowed("atomicAdd", "n_met"),
    narrowed("atomicStore", "n_met"),
    stored_plainly("n_met"), read_plainly("atomicLoad", "share_word"),
    counted_by("0"),
    counted_by("gl_StorageSemanticsBuffer", "gl_SemanticsAcquire", "gl_SemanticsMakeVisible"),
    counted_by("gl_StorageSemanticsBuffer", "gl_SemanticsRelease", "gl_SemanticsMakeAvailable"),
    counted_by("gl_StorageSemanticsBuffer", "gl_SemanticsAcquireRelease",
               "gl_SemanticsMakeAvailable"),
    counted_by("gl_StorageSemanticsBuffer", "gl_SemanticsAcquireRelease",
               "gl_SemanticsMakeVisible"),
    counted_by("gl_StorageSemanticsShared", "gl_SemanticsAcquireRelease",
               "gl_SemanticsMakeAvailable", "gl_SemanticsMakeVisible"),
]


def breakages_of(kernel):
    return BREAKAGES + SHARE_BREAKAGES + has_meetings(kernel) * MEETING_BREAKAGES


def pointer_of(opcode, operands):
    """What an atomic works on: a store has no result, and so no type before it."""
    return operands[0] if opcode == "OpAtomicStore" else operands[1]


def scope_of(opcode, operands):
    return operands[1] if opcode == "OpAtomicStore" else operands[2]


def accesses(module):
    """(opcode, operands) of all that touches a word but finds its place, in functions as they are:
    what is given to one counts as well."""
    for instructions in module.functions.values():
        for opcode, operands in instructions:
            if opcode not in CHAINS and any(module.binding(operand) in WORD_BINDINGS
                                            for operand in operands):
                yield opcode, operands


def problems(module, kernel):
    """The rules that a module breaks."""
    found = [] if module.has_memory_model() else ["model"]
    value = module.value
    atomics = [(op, ops) for op, ops in module.instructions
               if op.startswith("OpAtomic") and not module.is_shared(pointer_of(op, ops))]
    if not atomics or any(module.binding(pointer_of(*atomic)) not in WORD_BINDINGS
                          for atomic in atomics):
        found.append("words")
    if any(not op.startswith("OpAtomic") for op, _ in accesses(module)):
        found.append("plain")
    if any(value(scope_of(*atomic)) != SCOPE_DEVICE for atomic in atomics):
        found.append("scope")
    barriers = [ops for op, ops in module.instructions if op == "OpControlBarrier"]
    if any(value(scope) not in (SCOPE_WORKGROUP, SCOPE_SUBGROUP)
           for ops in barriers for scope in ops[:2]):
        found.append("wide")
    counts = [value(ops[3]) for op, ops in atomics
              if op == "OpAtomicIAdd" and module.binding(ops[1]) == MET_BINDING]
    wanted = ACQUIRE_RELEASE | BUFFER | MAKE_AVAILABLE | MAKE_VISIBLE
    if has_meetings(kernel) and (not counts or any(count & wanted != wanted for count in counts)):
        found.append("met")
    return found
