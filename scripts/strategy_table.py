#!/usr/bin/env python3
"""Write the table of strategies and of their shaders.

usage: strategy_table.py OUT.c STRATEGY... -- SHADER_IDENTIFIER...

A strategy NAME is the descriptor `mb_strategy_NAME` ('-' written as '_').
"""
import pathlib
import sys


def main(argv):
    if len(argv) < 2 or "--" not in argv:
        sys.exit(__doc__)
    split = argv.index("--")
    strategies = ["mb_strategy_" + name.replace("-", "_") for name in argv[2:split]]
    shaders = argv[split + 1:]
    lines = ["/* The table of strategies; generated from strategies/meson.build. */",
             '#include "strategy.h"', ""]
    lines += [f"extern const struct mb_strategy {s};" for s in strategies]
    lines += [f"extern const struct mb_shader {s};" for s in shaders]
    lines += ["", "const struct mb_strategy *const mb_strategies[] = {"]
    lines += [f"    &{s}," for s in strategies] + ["    NULL,", "};", ""]
    lines += ["const struct mb_shader *const mb_shaders[] = {"]
    lines += [f"    &{s}," for s in shaders] + ["    NULL,", "};", ""]
    pathlib.Path(argv[1]).write_text("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv)
