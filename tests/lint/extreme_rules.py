"""The rules for kernels whose workgroups hand extremes on in ordered words of binding 2, of which the largest stays,
and count who has brought theirs in binding 3. Such a module must

 1. declare the Vulkan memory model with device scope;
 2. access words by atomics alone, at Device scope, and raise them by OpAtomicUMax;
 3. count by OpAtomicIAdd at Device scope that releases buffer memory and makes it available, after words are
    raised, in the invocation that raised them;
 4. acquire buffer memory at Device scope and make it visible (OpMemoryBarrier) after the count, and only then take
    words and set them back;
 5. set words and counts back to zero at Device scope;
 6. have no other atomics, but in shared memory at Workgroup scope;
 7. have no control barrier wider than the workgroup.

A kernel may raise and count in several places: 3 and 4 hold for each of them, up to the next.
"""
from spirv_module import (ACQUIRE, ACQUIRE_RELEASE, BUFFER, CHAINS, MAKE_AVAILABLE, MAKE_VISIBLE, RELEASE,
                          SCOPE_DEVICE, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Breakage, broken_by, has)
from word_rules import DEVICE_BARRIER, WAIT_FOR_ALL, narrowed, pointer_of, scope_of, stored_plainly

WORD_BINDING, COUNT_BINDING = 2, 3
OF_WORDS = {"OpAtomicUMax", "OpAtomicLoad", "OpAtomicStore"}
OF_COUNTS = {"OpAtomicIAdd", "OpAtomicStore"}


def is_extreme(kernel):
    """Whether it hands on extremes by words."""
    return "-DEXTREME" in kernel.args


BREAKAGES = [
    broken_by("wide", " barrier();", f" {DEVICE_BARRIER}"),
    broken_by("wide", " barrier();", f" {WAIT_FOR_ALL}"),
    Breakage("words", "atomics in another buffer", r"binding = 2(\) nonprivate buffer Words)", r"binding = 8\1"),
    broken_by("words", "atomicMax(extreme_word", "atomicAdd(extreme_word"),
    broken_by("words", "atomicAdd(n_common, 1u, gl_ScopeWorkgroup", "atomicAdd(n_common, 1u, gl_ScopeDevice"),
    stored_plainly("extreme_word"), stored_plainly("n_arrived"),
    Breakage("plain", "extreme_word by a load", r"atomicLoad\((extreme_word\[[^;]*?\]), [^;)]*\)", r"\1"),
    *(narrowed(*atomic) for atomic in (("atomicMax", "extreme_word"), ("atomicLoad", "extreme_word"),
                                       ("atomicStore", "extreme_word"), ("atomicAdd", "n_arrived"),
                                       ("atomicStore", "n_arrived"))),
    broken_by("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelaxed);"),
    broken_by("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelease);"),
    broken_by("acquire", "gl_SemanticsAcquire | gl_SemanticsMakeVisible);", "gl_SemanticsAcquire);"),
    broken_by("acquire", "memoryBarrier(gl_ScopeDevice", "memoryBarrier(gl_ScopeWorkgroup"),
    Breakage("order", "brought after the count", r"( +)bring_extreme\((.*)\);\n([^}]*?arrive_is_last\(.*\);\n)",
             r"\3\1bring_extreme(\2);\n"),
    Breakage("order", "what was brought is never counted", r"= arrive_is_last\(node.index, node.n_children\)",
             "= true"),
    Breakage("order", "taken without a count", r"if \(arrive_is_last\(node, n_sharing\(c.at, c.n\)\)\)",
             "if (n_sharing(c.at, c.n) > 0u)"),
]


def breakages_of(kernel):
    return BREAKAGES


def accesses(module):
    """(opcode, operands) of all that touches a word or a count but finds its place, in functions as they are."""
    for instructions in module.functions.values():
        for opcode, operands in instructions:
            if opcode not in CHAINS and any(module.binding(operand) in (WORD_BINDING, COUNT_BINDING)
                                            for operand in operands):
                yield opcode, operands


def steps_of(module):
    """What is done with words and counts, in order: "raise", "count", "fence", "take"."""
    value = module.value
    for op, ops in module.instructions:
        if op == "OpMemoryBarrier":
            is_full = value(ops[0]) == SCOPE_DEVICE and has(value(ops[1]), BUFFER, MAKE_VISIBLE)
            if is_full and value(ops[1]) & (ACQUIRE | ACQUIRE_RELEASE):
                yield "fence"
        elif op.startswith("OpAtomic"):
            binding = module.binding(pointer_of(op, ops))
            if binding == COUNT_BINDING and op == "OpAtomicIAdd":
                yield "count"
            elif binding == WORD_BINDING:
                yield "raise" if op == "OpAtomicUMax" else "take"


def order_problems(module):
    """Rules 3 and 4, as far as they are of the order."""
    found, steps = set(), list(steps_of(module))
    state = "take"  # what was last
    for step in steps:
        before = {"raise": ("take", "raise"), "count": ("raise",), "fence": ("count",), "take": ("fence", "take")}
        if state not in before[step]:
            found.add("acquire" if step == "take" and state == "count" else "order")
        state = step
    if state != "take" or "raise" not in steps:
        found.add("order")
    return found


def problems(module, kernel):
    """The rules that a module breaks."""
    found = set() if module.has_memory_model() else {"model"}
    value = module.value
    atomics = [(op, ops) for op, ops in module.instructions if op.startswith("OpAtomic")]
    for op, ops in atomics:
        binding = module.binding(pointer_of(op, ops))
        if module.is_shared(pointer_of(op, ops)):
            if op != "OpAtomicIAdd" or value(scope_of(op, ops)) != SCOPE_WORKGROUP:
                found.add("words")
        elif op not in {WORD_BINDING: OF_WORDS, COUNT_BINDING: OF_COUNTS}.get(binding, ()):
            found.add("words")
        elif value(scope_of(op, ops)) != SCOPE_DEVICE:
            found.add("scope")
        if binding == COUNT_BINDING and op == "OpAtomicIAdd":
            semantics = value(ops[3])
            if not (has(semantics, BUFFER, MAKE_AVAILABLE) and semantics & (RELEASE | ACQUIRE_RELEASE)):
                found.add("release")
    if any(not op.startswith("OpAtomic") for op, _ in accesses(module)):
        found.add("plain")
    barriers = [ops for op, ops in module.instructions if op == "OpControlBarrier"]
    if any(value(scope) not in (SCOPE_WORKGROUP, SCOPE_SUBGROUP) for ops in barriers for scope in ops[:2]):
        found.add("wide")
    return sorted(found | order_problems(module))
