#!/usr/bin/env python3
"""Completions of shells and the man page: every option of each verb's help is in each, the shells take them,
and each shell really completes."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import cli

BUILD = pathlib.Path(os.environ["MB_TEST_BUILD"])
BASH = BUILD / "completions/mipbench"
ZSH = BUILD / "completions/_mipbench"
FISH = BUILD / "completions/mipbench.fish"
MAN = BUILD / "doc/mipbench.1"
DEADLINE_S = 600
READY = "READY> "


def needs(path):
    """A decorator: the test is skipped where this was not built."""
    return unittest.skipUnless(path.is_file(), f"{path.name} was not built: {path.parent.name}/meson.build")


def needs_shell(name):
    return unittest.skipUnless(shutil.which(name), f"{name} is not installed")


class Case(cli.TestCase):
    def options_of_help(self):
        """(short or None, long, argument or None) of each."""
        found = {}
        for verb in cli.VERBS:
            text = self.run_it("help", verb).out.decode("utf-8")
            for short, long, argument in re.findall(r"(?m)^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?", text):
                found.setdefault(long, (short or None, long, argument or None))
        self.assertGreater(len(found), 40)
        return list(found.values())

    def shell(self, *command, **options):
        done = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, check=False,
                              timeout=DEADLINE_S, stdin=subprocess.DEVNULL, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def type_at(self, command, setup, line, env=None):
        """What a function mipbench was given after a person has typed `line`, tabs included."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.environ.update({"TERM": "dumb", "LC_ALL": "C.UTF-8", "HOME": str(self.dir), **(env or {})})
            os.execvp(command[0], command)
        self.addCleanup(os.close, terminal)
        said = self.send(terminal, "", READY, READY)
        said += self.send(terminal, "".join(f"{step}\n" for step in setup), "set up", "done setting up")
        said += self.send(terminal, line + "\n", READY, "]]")
        self.send(terminal, "exit\n", None, None)
        os.waitpid(pid, 0)
        given = re.findall(r"\[\[(.*?)\]\]", said.replace("\r", "").replace("\n", ""))
        self.assertTrue(given, said)
        return given[-1]

    def send(self, terminal, text, _, until):
        os.write(terminal, text.encode())
        said, end = "", time.monotonic() + DEADLINE_S
        while until and until not in said:
            self.assertLess(time.monotonic(), end, f"{until!r} did not come after {text!r}: {said!r}")
            if select.select([terminal], [], [], 0.1)[0]:
                said += os.read(terminal, 65536).decode("utf-8", "replace")
        return said


class EveryOption(Case):
    @needs(BASH)
    def test_bash(self):
        names = set(re.findall(r"(?<![\w-])--?[\w-]+", BASH.read_text()))
        for short, long, _ in self.options_of_help():
            self.assertIn(f"--{long}", names)
            self.assertTrue(not short or f"-{short}" in names, short)

    @needs(ZSH)
    def test_zsh(self):
        text = ZSH.read_text()
        for short, long, argument in self.options_of_help():
            equals = "=" if argument else ""
            written = (rf"{{-{short}{'[+]' if argument else ''},--{long}{equals}}}'\[" if short
                       else rf"'[*]?--{long}{equals}\[")
            self.assertRegex(text, written)

    @needs(FISH)
    def test_fish(self):
        lines = FISH.read_text().splitlines()
        for short, long, argument in self.options_of_help():
            line, = [line for line in lines if f" -l {long} " in line]
            self.assertEqual(f" -s {short} " in line, bool(short))
            self.assertEqual(" -x" in line or " -r" in line, bool(argument), line)

    @needs(MAN)
    def test_man_page(self):
        text = MAN.read_text().replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
        names = set(re.findall(r"(?<![\w-])--?[\w-]+", text))
        for short, long, _ in self.options_of_help():
            self.assertIn(f"--{long}", names)
            self.assertTrue(not short or f"-{short}" in names, short)

    @needs(MAN)
    def test_man_page_has_the_rest_of_help(self):
        page = MAN.read_text().replace("\\&", "").replace("\\-", "-").replace("\\(aq", "'")
        text = self.run_it("--help").out.decode("utf-8")
        help_texts = [self.run_it("help", verb).out.decode("utf-8") for verb in cli.VERBS]
        environment, = re.findall(r"(?s)\nEnvironment:\n(.*)", text)
        codes, = re.findall(r"(?s)\nExit codes:\n(.*)\nEnvironment", text)
        names = re.findall(r"\b[A-Z][A-Z_]{3,}\b", environment)
        digits = re.findall(r"(?m)^  (\d)  ", codes)
        self.assertGreaterEqual(len(names), 4)
        self.assertEqual(digits, list("01234567"))
        for name in names:
            self.assertIn(name, page)
        for digit in digits:
            self.assertIn(f"\n\\fB{digit}\\fR\n", page)
        for verb, text in zip(cli.VERBS, help_texts):
            usage, = re.findall(r"Usage:\n  (mipbench .*)", text) if verb != "help" else ["mipbench help"]
            self.assertIn(usage.split(" ", 1)[1], page)
            for example in re.findall(r"(?m)^  (mipbench .*)$", text.partition("Examples:")[2]):
                self.assertIn(example.replace("\\", "\\\\"), page)


class Syntax(Case):
    @needs_shell("bash")
    @needs(BASH)
    def test_bash(self):
        self.shell("bash", "-n", BASH)

    @needs_shell("zsh")
    @needs(ZSH)
    def test_zsh(self):
        self.shell("zsh", "-n", ZSH)

    @needs_shell("fish")
    @needs(FISH)
    def test_fish(self):
        self.shell("fish", "--no-execute", FISH)

    @needs_shell("man")
    @needs(MAN)
    def test_man_page(self):
        text = self.shell("man", "--warnings", "-l", str(MAN), env={**os.environ, "MANWIDTH": "80"})
        self.assertIn("mipbench(1)", text)


def parameters_of(document):
    return {f"{strategy['name']}:{p['name']}={value}" for strategy in document["strategies"]
            for p in strategy["params"] for value in p["values"]}


class Completes(Case):
    """What is offered at the end of a line."""

    def setUp(self):
        super().setUp()
        (self.dir / "photo.png").touch()
        (self.dir / "two words.png").touch()
        (self.dir / "folder").mkdir()

    def check_all(self, offer):
        """offer(line): the words that the shell offers for the last word, in full."""
        options = self.options_of_help()
        self.assertEqual(offer("mipbench --red"), {"--reduce"})
        self.assertLessEqual({f"--{long}" for _, long, _ in options}, offer("mipbench --"))
        for _, long, argument in options:
            if argument and re.fullmatch(r"[a-z|]*\|[a-z|]*", argument):
                self.assertEqual(offer(f"mipbench --{long} "), set(argument.split("|")), long)
        self.assertEqual(offer("mipbench -r m"), {"min", "max"})
        strategies = set(self.names("strategies"))
        self.assertEqual(offer("mipbench -s "), strategies | {"all"})
        self.assertEqual(offer("mipbench x.png --strategy com"), {"compute"})
        self.assertEqual(offer("mipbench -s spd,com"), {"spd,compute"})
        self.assertEqual(offer("mipbench -s blit,compute:npot=f"), {"blit,compute:npot=floor"})
        self.assertEqual(offer("mipbench --chain "), {"ktx2", "dds"})
        self.assertEqual(offer("mipbench --chain ktx2,d"), {"ktx2,dds"})
        self.assertEqual(offer("mipbench -f "), set(self.names("formats")) | {"auto"})
        self.assertEqual(offer("mipbench -o "), {"folder/"})
        self.assertEqual(offer("mipbench list "), {"devices", "strategies", "formats", "patterns"})
        self.assertIn("--json", offer("mipbench list --"))
        self.assertNotIn("--reduce", offer("mipbench list --"))
        self.assertIn("--threshold", offer("mipbench -q compare a.json --"))
        self.assertNotIn("--threshold", offer("mipbench photo.png --"))
        self.assertEqual(offer("mipbench co"), {"compare"})
        self.assertEqual(offer("mipbench tu"), {"tune"})
        self.assertEqual(offer("mipbench help "), set(cli.VERBS))
        self.assertIn("--sweep", offer("mipbench tune --"))
        self.assertNotIn("--no-verify", offer("mipbench tune --"))
        self.assertEqual(offer("mipbench tune -f rgba8,r3"), {"rgba8,r32f"})
        self.assertEqual(offer("mipbench export "), {"spd-tree"})
        self.assertEqual(offer("mipbench export -f r3"), {"r32f"})
        self.assertIn("--force", offer("mipbench export --"))
        self.assertNotIn("--force", offer("mipbench tune --"))
        self.assertNotIn("--json", offer("mipbench export --"))
        self.assertEqual(offer("mipbench photo.png --csv fold"), {"folder/"})
        self.assertIn("pattern:noise:1024x1024", offer("mipbench p"))
        self.assertIn("photo.png", offer("mipbench p"))

    def names(self, what):
        document = json.loads(self.run_it("list", what, "--json").out)
        return [entry["name"] for entry in document[what]]

    def bash(self, line):
        """By the variables that bash sets; what readline keeps of the word is put back."""
        script = ('source "$1"; COMP_WORDBREAKS=$3; COMP_LINE=$2; COMP_POINT=${#2}; _mipbench; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        word = line.rsplit(" ", 1)[1]
        kept = word[:max(word.rfind(c) for c in ":=") + 1]
        found = self.shell("bash", "-c", script, "bash", BASH, line, " \t\n\"'@><=;|&(:")
        words = {kept + reply for reply in found.splitlines() if reply}
        return {f"{w}/" if (self.dir / w).is_dir() else w for w in words}

    @needs_shell("bash")
    @needs(BASH)
    def test_bash(self):
        self.check_all(self.bash)
        self.assertEqual(self.bash("mipbench --mode=la"), {"--mode=latency"})
        self.assertEqual(self.bash("mipbench --strategy=blit,raster:load=s"),
                         {"--strategy=blit,raster:load=sampler"})
        self.assertEqual(self.bash("mipbench -s compute:npot=floor:np"), set())  # is there already
        self.assertEqual(self.bash("mipbench -- two"), {"two words.png"})
        self.assertEqual(self.bash("mipbench -- --"), set())
        document = json.loads(self.run_it("list", "strategies", "--json").out)
        for name in [s["name"] for s in document["strategies"]]:
            want = {p for p in parameters_of(document) if p.startswith(f"{name}:")}
            self.assertEqual(self.bash(f"mipbench -s {name}:"), want)

    @needs_shell("fish")
    @needs(FISH)
    def test_fish(self):
        def offer(line):
            script = "source $argv[1]; complete -C $argv[2]"
            words = {row.split("\t")[0] for row in self.shell(
                "fish", "--no-config", "-c", script, FISH, line,
                env={**os.environ, "HOME": str(self.dir)}).splitlines()}
            # Fish 4 names those, too, that have the letters further apart; on a terminal it leaves them out.
            return {word for word in words if word.startswith(line.rsplit(" ", 1)[1])}
        self.check_all(offer)
        self.assertEqual(offer("mipbench -s %d,com"), {"%d,compute"})

    @needs_shell("bash")
    @needs(BASH)
    def test_bash_at_a_terminal(self):
        setup = [f"source '{BASH}'; mipbench() {{ printf '[['; printf '%s|' \"$@\"; printf ']]\\n'; }}",
                 "echo done setting\" \"up"]
        for line, want in [("mipbench --red\tmi\t", "--reduce|min|"),
                           ("mipbench -s blit,compute:np\tf\t", "-s|blit,compute:npot=floor|"),
                           ("mipbench --images=at\t", "--images=atlas|"),
                           ("mipbench two\t", "two words.png|")]:
            given = self.type_at(["bash", "--norc", "--noprofile", "-i"], setup, line,
                                 {"PS1": READY, "INPUTRC": "/dev/null"})
            self.assertEqual(given, want)

    @needs_shell("zsh")
    @needs(ZSH)
    def test_zsh_at_a_terminal(self):
        setup = [f"fpath=('{ZSH.parent}' $fpath); autoload -Uz compinit; compinit -u -d '{self.dir}/.zcompdump'; "
                 "mipbench() { printf '[['; printf '%s|' \"$@\"; printf ']]\\n'; }",
                 "echo done setting\" \"up"]
        for line, want in [("mipbench --red\tmi\t", "--reduce=min|"),
                           ("mipbench -s compu\t,spd:fp16=on\t", "-s|compute,spd:fp16=on|"),
                           ("mipbench -s blit,compute:npot=f\t", "-s|blit,compute:npot=floor|"),
                           ("mipbench list pat\t", "list|patterns|"),
                           ("mipbench tune --swe\t1:2", "tune|--sweep=1:2|"),
                           ("mipbench --chain ktx2,d\t", "--chain|ktx2,dds|"),
                           ("mipbench two\t", "two words.png|")]:
            given = self.type_at(["zsh", "-f", "-i"], setup, line, {"PS1": READY})
            self.assertEqual(given, want)


if __name__ == "__main__":
    cli.main()
