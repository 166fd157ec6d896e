"""Tables of keys in a page of doc/, made of a schema: held against the page, or put into it."""

import pathlib
import re
import sys

END = "<!-- end of keys -->\n"


def check(page, schema, make_tables, least):
    """With the script's arguments, [--write] ROOT: that `page` of ROOT has what make_tables(ROOT /
    schema) yields between its two marks, and more than `least` keys; --write puts it there."""
    root = pathlib.Path(sys.argv[-1])
    path = root / page
    begin = f"<!-- keys: of {schema} -->\n"
    text = path.read_text(encoding="utf-8")
    want = re.sub(f"{begin}.*{END}", lambda _: begin + "\n" + "".join(make_tables(root / schema)) + END, text,
                  flags=re.DOTALL)
    if "--write" in sys.argv:
        path.write_text(want, encoding="utf-8")
    elif want != text:
        sys.exit(f"{path}: not as {schema}: run {sys.argv[0]} --write {root}")
    n_keys = want.count("\n| `")
    print(f"{n_keys} keys")
    sys.exit(0 if n_keys > least else 1)
