"""Shared by the command lines of plot.py and report.py: exit codes and error lines."""

import argparse
import sys

from result_node import InputError, clean
from whole_file import IsInput, OutputError, print_whole

EXIT_USAGE, EXIT_INPUT, EXIT_OUTPUT = 2, 3, 7
EXITS = {IsInput: EXIT_USAGE, InputError: EXIT_INPUT, OutputError: EXIT_OUTPUT}


def complain(program, text):
    print(f"{program}: error: {clean(str(text))}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """Reports an error in one line. Failing to write help is an error."""

    def __init__(self, program, description, epilog):
        super().__init__(prog=f"{program}.py", description=description, epilog=epilog,
                         allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.program = program

    def error(self, message):
        complain(self.program, f"{message}; see --help")
        sys.exit(EXIT_USAGE)

    def print_help(self, file=None):
        print_whole(self.format_help())


def run(program, main, *arguments):
    """Runs main(*arguments) and returns its exit code; EXITS maps exceptions to codes."""
    try:
        return main(*arguments)
    except tuple(EXITS) as error:
        complain(program, error)
        return EXITS[type(error)]
    except FileNotFoundError as error:  # no input: one of the files that come with the scripts
        complain(program, f"{error.filename} is missing; keep scripts/ whole")
        return EXIT_INPUT
