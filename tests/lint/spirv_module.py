"""A shader as SPIR-V, compiled with glslangValidator, as far as rules of the memory model read it."""
import collections
import re
import subprocess

SCOPE_DEVICE, SCOPE_WORKGROUP, SCOPE_SUBGROUP = 1, 2, 3
ACQUIRE, RELEASE, ACQUIRE_RELEASE = 0x2, 0x4, 0x8
BUFFER, SHARED = 0x40, 0x100
MAKE_AVAILABLE, MAKE_VISIBLE = 0x2000, 0x4000

CHAINS = {"OpAccessChain", "OpInBoundsAccessChain", "OpPtrAccessChain", "OpCopyObject"}

# What is compiled to one module: its name, STRATEGY/STEM; the source, from strategies/ on; what glslang is given besides.
Kernel = collections.namedtuple("Kernel", "name source args")

# A build that breaks a rule on purpose: the rule's name, what is done, a pattern in the kernel or in
# what it includes, and what takes its place.
Breakage = collections.namedtuple("Breakage", "rule what pattern replacement")


def broken_by(rule, text, replacement):
    """A breakage of literal text."""
    what = " ".join(f"{text} -> {replacement}".split())
    return Breakage(rule, what, re.escape(text), replacement.replace("\\", r"\\"))


def has(value, *flags):
    return all(value & flag for flag in flags)


READ = ("OpAtomic", "OpControlBarrier", "OpMemoryBarrier", "OpFunctionCall")


class Module:
    """What rules read of a disassembled module: barriers, atomics, and what touches buffers or shared memory.
    `instructions` are those of the call tree from main, with every call replaced by the function's
    body: (opcode, operands)."""

    def __init__(self, text):
        self.constants, self.capabilities = {}, set()
        self.functions, self.bindings, self.bases = {}, {}, {}
        self.shared, self.buffers = set(), set()
        entry = function = None
        for result, opcode, operands in instructions_of(text):
            if opcode == "OpConstant" and re.fullmatch(r"-?\d+", operands[-1]):
                self.constants[result] = int(operands[-1])
            elif opcode == "OpCapability":
                self.capabilities.add(operands[0])
            elif opcode == "OpDecorate" and operands[1] == "Binding":
                self.bindings[operands[0]] = int(operands[2])
            elif opcode == "OpVariable" and operands[1] == "Workgroup":
                self.shared.add(result)
            elif opcode == "OpVariable" and operands[1] in ("StorageBuffer", "Uniform"):
                self.buffers.add(result)
            elif opcode == "OpEntryPoint":
                entry = operands[1]
            elif opcode == "OpFunction":
                function = self.functions.setdefault(result, [])
            elif function is not None:
                function.append((opcode, operands))
                if opcode in CHAINS:
                    self.bases[result] = operands[1]
        touched = self.shared | self.buffers
        self.functions = {name: [one for one in body if self.is_read(*one, touched)]
                          for name, body in self.functions.items()}
        self.instructions = list(self.in_call_order(entry))

    def is_read(self, opcode, operands, touched):
        return opcode.startswith(READ) or any(self.variable(operand) in touched for operand in operands)

    def in_call_order(self, function):
        for opcode, operands in self.functions[function]:
            if opcode == "OpFunctionCall":
                yield from self.in_call_order(operands[1])
            else:
                yield opcode, operands

    def value(self, operand):
        """Of an integer constant; -1: it is none."""
        return self.constants.get(operand, -1)

    def variable(self, pointer):
        """That a pointer points into."""
        while pointer in self.bases:
            pointer = self.bases[pointer]
        return pointer

    def binding(self, pointer):
        """Of the variable that a pointer points into, or None."""
        return self.bindings.get(self.variable(pointer))

    def is_shared(self, pointer):
        """Whether it points into shared memory."""
        return self.variable(pointer) in self.shared

    def signature(self):
        """All that rules read of it: of two modules the same if they cannot tell them apart."""
        def read(operand):
            if operand in self.constants:
                return self.constants[operand]
            return (self.binding(operand), self.is_shared(operand)) if operand[0] == "%" else operand
        return self.capabilities, [(op, [read(operand) for operand in operands])
                                   for op, operands in self.instructions]

    def has_memory_model(self):
        return {"VulkanMemoryModel", "VulkanMemoryModelDeviceScope"} <= self.capabilities


def instructions_of(text):
    """(result or None, opcode, operands) of each line."""
    for line in text.splitlines():
        match = re.match(r"\s*(?:(%\d+) = )?(Op\w+)\s*(.*)", line)
        if match:
            yield match.group(1), match.group(2), match.group(3).split()


def kernels_of(strategies):
    """Those of each strategy's folder, as its shaders.txt lists them, or one for each file."""
    for folder in sorted(path for path in strategies.iterdir() if path.is_dir()):
        listed = folder / "shaders.txt"
        lines = listed.read_text().splitlines() if listed.exists() else [
            f"{file.stem}: {file.relative_to(folder)}:" for file in sorted(folder.rglob("*.comp"))]
        for line in lines:
            stem, source, args = line.split(":")
            yield Kernel(f"{folder.name}/{stem}", f"{folder.name}/{source.strip()}", tuple(args.split()))


def compile_module(kernel, strategies, include_folder, out):
    """The module of a kernel, written to `out`."""
    subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2",
                    f"-I{include_folder}", *kernel.args, "-o", out, strategies / kernel.source],
                   check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["spirv-dis", "--no-color", "--raw-id", out], check=True,
                          capture_output=True, text=True)
    return Module(done.stdout)
