"""What results.json says of its own form; results/schema.json describes the rest."""


def version_of(root):
    """(text, (major, minor)) of the schema that the JSON value `root` names; None if it is no result
    of mipbench, and None in place of the numbers if the text is no version."""
    schema = root.get("schema") if isinstance(root, dict) else None
    if not isinstance(schema, dict) or schema.get("name") != "mipbench":
        return None
    text = str(schema.get("version"))
    numbers = text.split(".")
    if len(numbers) != 3 or not all(part.isascii() and part.isdecimal() for part in numbers):
        return text, None
    return text, (int(numbers[0]), int(numbers[1]))
