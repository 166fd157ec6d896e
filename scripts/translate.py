#!/usr/bin/env python3
"""Translate the SPIR-V modules of an export by spirv-cross, and keep what is sound.

usage: translate.py --language=hlsl[,msl] -- FOLDER

Workgroups of these modules hand data on to one another. A translation that leaves out what orders that would be right on
most devices, most of the time, so it is read before it is kept: each count of arrivals in a buffer that releases has to
be ordered after what comes before it, each that acquires before what follows, for the whole device, and data that is
handed on must not stay in a cache of one multiprocessor. The translations have not been run.

Writes FOLDER/MODULE.hlsl and FOLDER/MODULE.metal, and a line for each module, kept or refused with the reason, to
FOLDER/translations.txt.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

TRANSLATORS = {"hlsl": (["--hlsl", "--shader-model", "62"], ".hlsl"),
               "msl": (["--msl", "--msl-version", "30200"], ".metal")}

HLSL_BUFFER = re.compile(r"^(.*)\bRW\w*Buffer\b.* : register", re.M)
HLSL_COUNT = re.compile(r"^(.*)\n.*\.Interlocked\w*Add\w*\(.*\n((?:.*\n){5})", re.M)
HLSL_FENCE = re.compile(r"\b(?:Device|All)MemoryBarrier\w*\(\)")
MSL_COUNT = re.compile(r"^(.*)\n.*atomic_fetch_add_explicit\(\(device .*\n((?:.*\n){5})", re.M)
MSL_FENCE = re.compile(r"atomic_thread_fence\(mem_flags::mem_device.*thread_scope_device\)")


def problem_of_counts(counts, fence):
    """A fence is right before each count, and one soon after it."""
    if not counts:
        return "no count of arrivals was found in it"
    if not all(fence.search(before) for before, _ in counts):
        return "the release of a count of arrivals is left out"
    if not all(fence.search(after) for _, after in counts):
        return "the acquire of a count of arrivals is left out, or is not for the device"
    return None


def problem_of_hlsl(text):
    buffers = HLSL_BUFFER.findall(text)
    if not buffers or not all("globallycoherent" in words for words in buffers):
        return "buffers are not globallycoherent"
    return problem_of_counts(HLSL_COUNT.findall(text), HLSL_FENCE)


def problem_of_msl(text):
    return problem_of_counts(MSL_COUNT.findall(text), MSL_FENCE)


PROBLEMS = {"hlsl": problem_of_hlsl, "msl": problem_of_msl}


def translate(tool, module, language):
    """(text, None), or (None, why not)."""
    flags, _ = TRANSLATORS[language]
    done = subprocess.run([tool, *flags, module], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not done.stdout or "exception" in done.stderr:
        said = done.stderr.strip().split("\n")[0].removeprefix("SPIRV-Cross threw an exception: ")
        return None, f"spirv-cross: {said or 'failed'}"
    problem = PROBLEMS[language](done.stdout)
    return (None, problem) if problem else (done.stdout, None)


def main():
    parser = argparse.ArgumentParser(description="Translate the modules of an export.")
    parser.add_argument("--language", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    tool = shutil.which("spirv-cross")
    if tool is None:
        sys.exit("translate.py: spirv-cross is not on PATH: install it, or leave hlsl and msl out")
    lines = []
    for language in arguments.language.split(","):
        n_kept = 0
        for module in sorted(arguments.folder.glob("*.spv")):
            out = module.with_suffix(TRANSLATORS[language][1])
            text, problem = translate(tool, module, language)
            if text is not None:
                out.write_text(text, encoding="utf-8")
                n_kept += 1
            lines.append(f"{out.name}: " + (f"refused: {problem}" if problem else "kept"))
        lines.append(f"{language}: {n_kept} modules kept")
    (arguments.folder / "translations.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
