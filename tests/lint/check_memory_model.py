#!/usr/bin/env python3
"""Hold single-pass kernels to the rules of the Vulkan memory model, by their SPIR-V.

usage: check_memory_model.py SOURCE_ROOT

A CPU driver does not show a race, so the operands are read. Every module whose workgroups hand
data on through an atomic counter must

 1. declare the Vulkan memory model with device scope;
 2. count with OpAtomicIAdd at Device scope that releases buffer memory and makes it available;
 3. acquire buffer memory at Device scope and make it visible (OpMemoryBarrier) after counting;
 4. pass that on to the workgroup by a control barrier with Device memory scope;
 5. access the hand-off data as non-private;
 6. have no other atomic read-modify-write, and no control barrier wider than the workgroup before
    the count, which would make every workgroup wait for its own stores; a counter that is set
    back to zero is so at Device scope.

A kernel may count in several places: 2 to 4 hold for each of them, up to the next.

A kernel that reduces shared memory in place must besides, up to the count,

 7. have a control barrier between reading it and writing it, and one between writing and reading
    it (the texel handed over, read by the invocation that wrote it, aside).

A kernel that counts in one invocation what several have left must, before the count,

 8. have a control barrier that releases and acquires buffer memory.

"Before" and "after" are those of the call tree from main, with every call replaced by its body.

The shader is compiled here with glslangValidator, once as it is and once with each rule broken on
purpose: a check that lets a broken kernel pass fails. Exits 77 without the tools.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCOPE_DEVICE, SCOPE_WORKGROUP = 1, 2
ACQUIRE, RELEASE, ACQUIRE_RELEASE = 0x2, 0x4, 0x8
BUFFER, SHARED = 0x40, 0x100
MAKE_AVAILABLE, MAKE_VISIBLE = 0x2000, 0x4000

KERNELS = ["spd/spd_wave.comp", "spd/spd_shared.comp", "spd/spd_wide.comp",
           "spd/spd_wave_half.comp", "spd/spd_shared_half.comp", "spd/spd_wide_half.comp",
           "spd-metal/spd_metal.comp", "spd-tree/spd_tree.comp", "spd-tree/spd_tree_wave.comp",
           "spd-tree/spd_tree_sums.comp"]

# Kernels that write cells of shared memory which other invocations read.
IN_PLACE = {"spd-metal/spd_metal.comp"}

# Kernels in which one invocation counts what several have left.
COUNTS_FOR_OTHERS = {"spd-tree/spd_tree.comp"}

# name of the rule that must catch it, text in the kernel or what it includes, replacement
BREAKAGES = [
    ("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelaxed);"),
    ("release", "gl_SemanticsRelease | gl_SemanticsMakeAvailable);", "gl_SemanticsRelease);"),
    ("scope", "], 1u, gl_ScopeDevice", "], 1u, gl_ScopeWorkgroup"),
    ("acquire", "gl_SemanticsAcquire | gl_SemanticsMakeVisible);", "gl_SemanticsAcquire);"),
    ("acquire", "memoryBarrier(gl_ScopeDevice", "memoryBarrier(gl_ScopeWorkgroup"),
    ("barrier", "controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice", "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup"),
    ("barrier", "controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice", "controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup"),
    ("barrier", " acquire_hand_off();\n", " barrier();\n"),
    ("private", "nonprivate buffer HandOff", "buffer HandOff"),
    ("rearm", "], 0u, gl_ScopeDevice", "], 0u, gl_ScopeWorkgroup"),
]
COUNTS_FOR_OTHERS_BREAKAGES = [
    ("left", "    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,\n"
     "                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,\n"
     "                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |\n"
     "                       gl_SemanticsMakeVisible);\n", "    barrier();\n"),
]
IN_PLACE_BREAKAGES = [
    ("tile", "    barrier();\n    if (has_texel) {\n        store", "    if (has_texel) {\n        store"),
    ("tile", "    barrier();\n    if (has_texel) {\n        texel", "    if (has_texel) {\n        texel"),
]


def compile_kernel(kernel, folder):
    module = folder / "kernel.spv"
    subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2",
                    f"-I{folder / 'shaders'}", "-o", module, folder / kernel],
                   check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["spirv-dis", "--no-color", "--raw-id", module], check=True,
                          capture_output=True, text=True).stdout


def in_call_order(function, functions):
    """The instructions of a function, with those of the functions it calls in place of the calls."""
    for opcode, operands in functions[function]:
        if opcode == "OpFunctionCall":
            yield from in_call_order(operands[1], functions)
        else:
            yield opcode, operands


def parse(text):
    """Integer constants by id, capabilities, and the instructions of main: (opcode, operands)."""
    constants, capabilities, functions, entry, function = {}, set(), {}, None, None
    for line in text.splitlines():
        match = re.match(r"\s*(?:(%\d+) = )?(Op\w+)\s*(.*)", line)
        if not match:
            continue
        result, opcode, operands = match.group(1), match.group(2), match.group(3).split()
        if opcode == "OpConstant" and re.fullmatch(r"-?\d+", operands[-1]):
            constants[result] = int(operands[-1])
        elif opcode == "OpCapability":
            capabilities.add(operands[0])
        elif opcode == "OpEntryPoint":
            entry = operands[1]
        elif opcode == "OpFunction":
            function = functions.setdefault(result, [])
        elif function is not None:
            function.append((opcode, operands))
    return constants, capabilities, list(in_call_order(entry, functions))


def has(value, *flags):
    return all(value & flag for flag in flags)


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
    if not any(value(ops[1]) == SCOPE_DEVICE and
               has(value(ops[2]), ACQUIRE_RELEASE, BUFFER, MAKE_AVAILABLE, MAKE_VISIBLE)
               for ops in barriers):
        found.append("barrier")
    return found


def problems(text, kernel):
    """The rules that a module breaks."""
    constants, capabilities, instructions = parse(text)
    value = lambda operand: constants.get(operand, -1)
    found = []
    if not {"VulkanMemoryModel", "VulkanMemoryModelDeviceScope"} <= capabilities:
        found.append("model")

    adds = [i for i, (op, _) in enumerate(instructions) if op == "OpAtomicIAdd"]
    others = [op for op, _ in instructions
              if op.startswith("OpAtomic") and op not in ("OpAtomicIAdd", "OpAtomicStore")]
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
    if kernel in IN_PLACE and not is_ordered(instructions[:count]):
        found.append("tile")
    if kernel in COUNTS_FOR_OTHERS and not any(
            has(value(ops[2]), ACQUIRE_RELEASE, BUFFER, MAKE_AVAILABLE, MAKE_VISIBLE)
            for ops in before):
        found.append("left")
    return sorted(set(found))


def included(file, folder):
    """A shader's file and those it includes, directly or not."""
    files = {file}
    for name in re.findall(r'^#include "(.+)"', file.read_text(), re.M):
        beside = file.parent / name
        files |= included(beside if beside.exists() else folder / "shaders" / name, folder)
    return files


def source_with(text, kernel, folder):
    """The one file of the kernel that holds `text`, or None."""
    holders = [f for f in included(folder / kernel, folder) if text in f.read_text()]
    if not holders:
        return None
    if len(holders) != 1:
        sys.exit(f"{kernel}: {len(holders)} of its files hold: {text.strip()}")
    return holders[0]


def problems_if_broken(kernel, folder, file, text, replacement):
    original = file.read_text()
    file.write_text(original.replace(text, replacement))
    found = problems(compile_kernel(kernel, folder), kernel)
    file.write_text(original)
    return found


def breakages_of(kernel, folder):
    """(rule, file, text, replacement) of all that can be broken in the kernel. Each rule can."""
    all_of_them = (BREAKAGES + (kernel in IN_PLACE) * IN_PLACE_BREAKAGES +
                   (kernel in COUNTS_FOR_OTHERS) * COUNTS_FOR_OTHERS_BREAKAGES)
    found = [(rule, source_with(text, kernel, folder), text, replacement)
             for rule, text, replacement in all_of_them]
    found = [breakage for breakage in found if breakage[1]]
    missing = {breakage[0] for breakage in all_of_them} - {breakage[0] for breakage in found}
    if missing:
        sys.exit(f"{kernel}: nothing to break {', '.join(sorted(missing))} by")
    return found


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    for tool in ("glslangValidator", "spirv-dis"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing")
            return 77
    source_root = pathlib.Path(argv[1])
    n_failed = n_done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(source_root / "strategies", folder, dirs_exist_ok=True)
        shutil.copytree(source_root / "shaders", folder / "shaders")
        for kernel in KERNELS:
            results = [(None, "as it is", problems(compile_kernel(kernel, folder), kernel))]
            results += [(rule, f"broken: {' '.join(text.split())}",
                         problems_if_broken(kernel, folder, file, text, replacement))
                        for rule, file, text, replacement in breakages_of(kernel, folder)]
            for rule, what, found in results:
                as_wanted = rule in found if rule else not found
                n_done += 1
                n_failed += not as_wanted
                print(f"{'ok  ' if as_wanted else 'FAIL'} {kernel}: {what}: "
                      f"{', '.join(found) or 'no problem'}")
    print(f"check_memory_model: {n_done} checks, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
