#!/usr/bin/env python3
"""scripts/check_layers.py on a small tree: silent while it is clean, and each planted violation
named with its file and line."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"

CLEAN = {
    "src/base/err.h": "#include <stddef.h>\n",
    "src/base/err.c": '#include "base/err.h"\n#include <vulkan/vulkan_core.h>\n',
    "src/base/version.h.in": "",
    "src/image/reference.h": '#include "base/err.h"\n',
    "src/image/compare.h": '#include "image/reference.h"\n',
    "src/image/format.h": "#include <vulkan/vulkan_core.h>\n",
    "src/vk/gpu.h": '#include <volk.h>\n#include "image/format.h"\n',
    "src/strategy.h": '#include "image/compare.h"\n#include "vk/gpu.h"\n',
    "src/result/result.h": '#include "strategy.h"\n',
    "src/bench/plan.h": '#include "result/result.h"\n',
    "src/bench/timing/blocks.h": '#include "bench/plan.h"\n',
    "src/cli/main.c": '#include "bench/plan.h"\n#include "base/version.h"\n',
    "strategies/good/good.c": '#include "strategy.h"\n#include "vk/gpu.h"\n'
                              '#include "good_level.comp.h"\n',
    "strategies/good/part.c": '#include "good.h"\n',
    "strategies/good/good.h": '#include "strategy.h"\n',
    "strategies/good/export/good.h": "#include <vulkan/vulkan_core.h>\n",
    "strategies/good/export/use.c": '#include "good.h"\n#include "made_by_export.h"\n',
    "strategies/good/lib/plan.h": "#include <stdint.h>\n",
    "strategies/good/plan.c": '#include "lib/plan.h"\n',
    "strategies/good/level.comp": '#include "reduce.glsl"\n',
    "shaders/reduce.glsl": "",
}

# (file, its text, what the report must say of it)
VIOLATIONS = [
    ("src/base/bad.c", '#include "image/format.h"\n', "bad.c:1: image/format.h points right"),
    ("src/image/bad.c", '\n#include "vk/gpu.h"\n', "bad.c:2: vk/gpu.h points rightwards"),
    ("src/bench/bad.c", '# include "cli/main.h"\n', "cli/main.h points rightwards"),
    ("src/base/bad.h", "#include <volk.h>\n", "volk.h brings Vulkan in below src/vk"),
    ("src/image/near.c", '#include "golden.h"\n', "golden.h is not a folder-prefixed path"),
    ("src/image/up.c", '#include "../base/err.h"\n', "leaves its folder"),
    ("src/vk/source.c", '#include "vk/gpu.c"\n', "includes a source file"),
    ("src/vk/gone.c", '#include "vk/gone.h"\n', "vk/gone.h does not exist"),
    ("src/extra/new.c", "", "new.c: belongs to no layer"),
    ("src/loose.c", "", "loose.c: belongs to no layer"),
    ("strategies/bad/bad.h", '#include "bench/plan.h"\n', "bad.h:1: bench/plan.h points right"),
    ("strategies/bad/bad.c", '#include "good.h"\n', "good.h is not a folder-prefixed path"),
    ("strategies/bad/export/bad.h", '#include "base/err.h"\n', "not part of the export"),
    ("strategies/bad/lib/bad.h", '#include "base/err.h"\n', "not part of the export"),
    ("strategies/bad/bad.c", '#include "lib/plan.h"\n', "not a folder-prefixed path"),
    ("strategies/bad/bad.c", '#include "image/reference.h"\n', "must not know the right answer"),
    ("strategies/bad/bad.c", '#include "image/compare.h"\n', "by way of strategy.h"),
    ("strategies/bad/bad.comp", '#include "../good/level.comp"\n', "in neither its own folder"),
    ("shaders/bad.glsl", '#include "level.comp"\n', "in neither its own folder"),
]


def run_check(tree):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                              capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def test_clean_tree_is_silent(self):
        result = run_check(CLEAN)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_each_violation_is_named(self):
        for name, text, message in VIOLATIONS:
            with self.subTest(file=name, include=text):
                result = run_check({**CLEAN, name: text})
                self.assertEqual(result.returncode, 1)
                self.assertIn(message, result.stdout)
                self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)

    def test_modules_in_a_circle_are_named(self):
        for names in (("a", "b"), ("a", "b", "c")):
            tree = {f"src/bench/{name}.{'h' if name == 'a' else 'c'}":
                    f'#include "bench/{names[(i + 1) % len(names)]}.h"\n'
                    for i, name in enumerate(names)}
            tree |= {f"src/bench/{name}.h": tree.get(f"src/bench/{name}.h", "") for name in names}
            result = run_check({**CLEAN, **tree, "src/bench/to_it.c": '#include "bench/a.h"\n'})
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stdout, "src: modules in a circle: "
                             + ", ".join(f"bench/{name}" for name in names) + "\n")

    def test_heaps_are_named(self):
        tree = {f"src/bench/part_{i}.c": "" for i in range(17)}
        result = run_check({**CLEAN, **tree})
        self.assertEqual((result.returncode, result.stdout), (
            1, "src/bench: 18 modules, of which a folder has 17 at most\n"))

    def test_a_folder_without_sources_is_an_error(self):
        self.assertNotEqual(run_check({"README.md": ""}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
