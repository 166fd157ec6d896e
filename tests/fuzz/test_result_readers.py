#!/usr/bin/python3
"""The readers of results.json over files that are hostile on purpose, and over mutants of sound
ones: by default 2,000, with MB_TEST_FULL 200,000.

usage: test_result_readers.py FUZZ_RESULTS TEST_REPORT
"""

import os
import pathlib
import subprocess
import sys
import tempfile

N_MUTANTS, N_FULL_MUTANTS, SEED = 2000, 200000, 21
LEVELS = 100000
HEAD = b'{"schema": {"name": "mipbench", "version": "2.0.0"}, '
CASE = b'"cases": [{"width": 1, "height": 1, "variants": [{"id": "a", "label": "a", "strategy": "a"'
TIMING = b'}], "timings": [{"rows": [{"variant": "a"}], "blocks": {"columns": [{"variant": "a", ' \
    b'"kind": "sample", "durations_ns": ['
END = b"]}]}}]}]}"


def hostile():
    """Each of them broke, or would break, some reader of JSON."""
    many = b", ".join(b'"k%d": "v"' % i for i in range(60000))
    yield from (b"\0", b"{", b"null", b"[[]]", b"\xff\xfe", b"\xef\xbb\xbf{}", HEAD, HEAD + b"}")
    for opening, closing in ((b"[", b"]"), (b'{"x":', b"}")):
        deep = opening * LEVELS + b"1" + closing * LEVELS
        yield from (opening * LEVELS, deep, HEAD + b'"cases": ' + deep + b"}",
                    HEAD + b'"run": {"argv": ' + deep + b'}, "cases": []}')
    for number in (b"1e400", b"-1e400", b"1e308", b"NaN", b"18446744073709551616", b"9" * 5000,
                   b"1" + b"0" * 61 + b"e-30", b'"99999999999999999999"', b'"' + b"9" * 5000 + b'"'):
        yield HEAD + b'"run": {"seed": ' + number + b"}, " \
            + CASE.replace(b": 1", b": " + number) + TIMING + number + END
    yield HEAD + b'"b": [null, 9999999999999999999999999999999999999999999999912345678901234567]}'
    yield HEAD + CASE + b', "params": {' + many + b"}" + TIMING + b"1" + END
    yield HEAD + CASE + TIMING + b"1," * 300000 + b"1" + END
    yield HEAD + b'"cases": [{"variants": [' + b"{}," * 20000 + b'{}], "timings": [{"rows": [' \
        + b'{"variant": "a"},' * 20000 + b"{}]}]}]}"
    yield HEAD + b'"run": {"argv": [' + b'"-v",' * 50000 + b'"x"]}, "cases": []}'


def main():
    fuzzer, report = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    n_mutants = N_FULL_MUTANTS if os.environ.get("MB_TEST_FULL") else N_MUTANTS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        seeds, fixed = [], []
        for kind in ("json", "json-update", "json-updates"):
            seeds.append(folder / kind)
            seeds[-1].write_bytes(subprocess.run([report, kind], check=True,
                                                 capture_output=True).stdout)
        for i, data in enumerate(hostile()):
            fixed.append(folder / f"hostile-{i:03}")
            fixed[-1].write_bytes(data)
        statuses = [subprocess.run([fuzzer, str(n), str(SEED), *paths], check=False).returncode
                    for n, paths in ((0, fixed), (n_mutants, seeds))]
    if any(statuses):
        print(f"fuzz_results: exit {statuses}: see fuzz-failure.bin")
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
