#!/usr/bin/env python3
"""scripts/setup.sh against stand-ins for dpkg-query and apt-get: what it would do to a machine,
with no machine touched."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "setup.sh"
NEW = "Inst libstb-dev (0.0 Debian:12 [amd64])\nConf libstb-dev (0.0 Debian:12 [amd64])\n"
REMOVAL = "Remv libvolk2-dev [2.0]\n"
UPDATE = "Inst libc6 [2.36-1] (2.36-2 Debian:12 [amd64])\n"

# installed: a file names the packages that are not.
DPKG_QUERY = """#!/bin/sh
shift 3
for package; do
    grep -qx "$package" "$STATE/missing" || echo "$package=installed"
done
"""

# Simulates from $STATE/plan (fails while there is none), logs everything else.
APT_GET = """#!/bin/sh
case " $* " in
*" -s "*) cat "$STATE/plan" 2>/dev/null || exit 100 ;;
*" --print-uris "*) echo "'http://x/a.deb' a.deb 2600000 SHA256:0" ;;
*" update "*) echo "$@" >>"$STATE/log"; mv "$STATE/plan.later" "$STATE/plan" ;;
*) echo "$@" >>"$STATE/log"; : >"$STATE/missing" ;;
esac
"""
ID = "#!/bin/sh\necho 0\n"


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name)
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET), ("id", ID)):
            path = self.state / name
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        self.write("missing", "libstb-dev\n")
        self.write("plan", NEW)

    def write(self, name, text):
        (self.state / name).write_text(text, encoding="utf-8")

    def log(self):
        path = self.state / "log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def run_setup(self, *options, **variables):
        environment = {key: value for key, value in os.environ.items() if key != "CI"}
        environment |= {"PATH": f"{self.state}:{os.environ['PATH']}", "STATE": str(self.state)}
        return subprocess.run([str(SCRIPT), *options], env=environment | variables, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_nothing_missing_changes_nothing(self):
        self.write("missing", "")
        result = self.run_setup()
        self.assertEqual((result.returncode, self.log()), (0, ""))

    def test_without_a_terminal_nothing_is_installed(self):
        result = self.run_setup()
        self.assertEqual((result.returncode, self.log()), (1, ""))
        self.assertIn("missing: libstb-dev", result.stderr)
        self.assertIn("2.6 MB", result.stderr)
        self.assertIn("--yes", result.stderr)

    def test_yes_and_ci_install_what_is_missing_and_no_more(self):
        for options, variables in ((("--yes",), {}), ((), {"CI": "true"})):
            with self.subTest(options=options):
                self.setUp()
                result = self.run_setup(*options, **variables)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(self.log(), r"--no-remove .* install libstb-dev\n\Z")

    def test_removal_is_refused(self):
        self.write("plan", REMOVAL + NEW)
        result = self.run_setup("--yes")
        self.assertEqual((result.returncode, self.log()), (1, ""))
        self.assertIn("would remove: libvolk2-dev", result.stderr)

    def test_update_of_an_installed_package_is_named(self):
        self.write("plan", UPDATE + NEW)
        result = self.run_setup()
        self.assertRegex(result.stderr, r"current version of: libc6\n")
        self.assertEqual(self.log(), "")

    def test_lists_are_updated_only_if_they_lack_a_package(self):
        (self.state / "plan").rename(self.state / "plan.later")
        result = self.run_setup("--yes")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(self.log(), r"\A.* update\n.* install libstb-dev\n\Z")

    def test_tests_want_more(self):
        self.write("missing", "clang\n")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertIn("missing: clang", self.run_setup("--tests").stderr)

    def test_the_build_wants_what_optimises_modules(self):
        self.write("missing", "spirv-tools\n")
        self.assertIn("missing: spirv-tools", self.run_setup().stderr)

    def test_usage(self):
        self.assertEqual(self.run_setup("--frob").returncode, 2)
        self.assertIn("--tests", self.run_setup("--help").stdout)


if __name__ == "__main__":
    unittest.main()
