#!/usr/bin/env python3
"""scripts/check_style.py on planted violations, and on what it must let through."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_style.py"


def c_function(n_lines, comment="/* does it */", signature="static int\nf(int a,\n  int b)"):
    """A function of exactly n_lines, signature included."""
    head = signature.split("\n")
    body = ["    a += b;"] * (n_lines - len(head) - 2)
    return "\n".join(["int x;", "", comment, *head, "{", *body, "}", ""])


def nested(depth):
    lines = ["int f(int a)", "{"]
    for level in range(1, depth + 1):
        lines.append("    " * level + "if (a) {")
    lines += ["    " * level + "}" for level in range(depth, 0, -1)]
    return "\n".join([*lines, "}", ""])


def run_check(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        (pathlib.Path(folder) / "src").mkdir()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, str(SCRIPT), folder], check=False,
                              capture_output=True, text=True)


class CheckStyle(unittest.TestCase):
    def assert_silent(self, name, text):
        result = run_check(name, text)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def assert_found(self, name, text, message):
        result = run_check(name, text)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stdout)

    def test_functions(self):
        self.assert_silent("src/a.c", c_function(60))
        self.assert_found("src/a.c", c_function(61), "src/a.c:4: function of 61 lines")
        self.assert_found("src/a.c", c_function(70, comment=""), "function of 70 lines")

    def test_function_in_a_shader_with_the_brace_on_its_line(self):
        text = c_function(61, signature="void main() {").replace("{\n{", "{\n    ;")
        self.assert_found("strategies/x/a.comp", text, "function of 61 lines")

    def test_excuse_needs_a_reason_and_its_place(self):
        self.assert_silent("src/a.c", c_function(80, comment="/* long: one table */"))
        self.assert_silent("src/a.c", c_function(80, comment="/* f\n * long: one table\n */"))
        self.assert_found("src/a.c", c_function(80, comment="/* long: */"), "function of 80")
        self.assert_found("src/a.c", c_function(80, comment="/* long: why */\nint y;\n"),
                          "function of 80")

    def test_files(self):
        self.assert_silent("src/a.c", "int x;\n" * 800)
        self.assert_found("src/a.c", "int x;\n" * 801, "src/a.c:1: file of 801 lines")
        self.assert_silent("src/a.c", "/* long: a table */\n" + "int x;\n" * 801)
        self.assert_silent("tests/unit/a.c", "int x;\n" * 801)
        self.assert_found("scripts/a.sh", "true\n" * 801, "file of 801 lines")

    def test_parameters(self):
        def with_parameters(n, comment="/* f */", last="int z"):
            names = ",\n  ".join([f"int a{i}" for i in range(n - 1)] + [last])
            return c_function(20, comment, f"static int f({names})")

        callback = "void (*last)(void *user, int a, int b)"
        self.assert_silent("src/a.c", with_parameters(6))
        self.assert_found("src/a.c", with_parameters(7),
                          "src/a.c:4: function of 7 parameters, more than 6")
        self.assert_silent("src/a.c", with_parameters(6, last=callback))
        self.assert_found("src/a.c", with_parameters(7, last=callback), "7 parameters")
        self.assert_silent("src/a.c", with_parameters(6, last="int z /* a, b */"))
        self.assert_silent("src/a.c", with_parameters(8, comment="/* long: Vulkan's */"))
        self.assert_found("src/a.c", with_parameters(8, comment="/* long: */"), "8 parameters")
        self.assert_silent("tests/unit/a.c", with_parameters(8))

    def test_nesting(self):
        self.assert_silent("src/a.c", nested(3))
        self.assert_found("src/a.c", nested(4), "src/a.c:6: 'if' nested more than 3 deep")
        self.assert_silent("src/a.c", "int x; /* a\n                    for (ever) */\n")

    def test_words(self):
        word = "TO" + "DO"
        self.assert_found("README.md", f"one\n{word}: two\n", f"README.md:2: '{word}' left")
        self.assert_found("tests/unit/a.c", "/* FIX" + "ME */\n", "left behind")
        self.assert_silent("scripts/a.sh", "mktemp -d /tmp/a." + "X" * 6 + "\n")


if __name__ == "__main__":
    unittest.main()
