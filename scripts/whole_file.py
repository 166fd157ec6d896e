"""Writing files for the scripts that make something of results."""
import os
import tempfile


def write_whole(path, content):
    """Write text, as UTF-8, or bytes to a pathlib.Path; it is replaced whole or not at all. Raises
    OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
