#!/usr/bin/env python3
"""SIGINT: what is complete is written; a second one kills. Of all signals at any moment tests/faults/test_kills.c
tells."""
import signal

import cli

FIRST, LONG = "pattern:noise:16x16", "pattern:noise:64x64"


class Signals(cli.TestCase):
    def test_finished_cells_are_kept(self):
        process = self.start(FIRST, LONG, "--size", "16x16,512x512", "-w", "0", "-n", "2000",
                             "-o", "out", "-s", "compute")
        self.wait_for((self.dir / "out/results.json").is_file, "first cell")
        self.assertEqual(len(cli.rows(self.document())), 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        document = self.document()
        first = cli.rows(document)[0]
        self.assertEqual((document["run"]["complete"], document["run"]["exit_reason"]), (False, "interrupted"))
        self.assertEqual((first["status"], first["verify"]["status"]), ("ok", "pass"))
        self.assertEqual(len(first["samples_ns"]), 2000)
        for result in cli.rows(document)[1:]:
            self.assertLess(len(result["samples_ns"]), 2000)

    def test_second_signal_kills(self):
        # Loading this pattern takes long, and nothing looks for a signal meanwhile.
        process = self.start("pattern:zoneplate:16384x16384", "-n", "1", "-o", "out",
                             "-s", "compute", "-f", "rgba8")
        def catches_sigint():
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                fields = dict(line.split(":", 1) for line in status)
            return int(fields["SigCgt"], 16) >> (signal.SIGINT - 1) & 1 == 1
        self.wait_for(catches_sigint, "signal handler")
        process.send_signal(signal.SIGINT)
        self.wait_for(lambda: not catches_sigint(), "reset of the handler")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=cli.TIMEOUT_S), -signal.SIGINT)
        self.assertFalse((self.dir / "out/results.json").exists())


if __name__ == "__main__":
    cli.main()
