"""Writing files and stdout for the scripts that make something of results."""
import errno
import os
import pathlib
import stat
import sys
import tempfile

MAX_LINKS = 40  # as many as Linux follows


class IsInput(Exception):
    """An output that is an input: one line, with its name."""


class OutputError(Exception):
    """What cannot be written, and why: one line."""


def print_whole(text):
    """Write a text to stdout, all the way. A reader that has seen enough is no error: the rest is
    not wanted, files still are. Raises OutputError."""
    if sys.stdout is None:  # closed by who started this
        raise OutputError(f"stdout: {os.strerror(errno.EBADF)}")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()
    except OSError as error:
        discard_stdout()
        raise OutputError(f"stdout: {error.strerror}") from error


def discard_stdout():
    """What is still buffered would fail once more at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_inputs(outputs, inputs):
    """Raises IsInput for the first of `outputs` that is one of `inputs`, by whatever name."""
    for path in outputs:
        if any(is_same(path, other) for other in inputs):
            raise IsInput(f"{path}: it is an input; name another file")


def is_same(path, other):
    """Through symbolic and hard links; a name that cannot be looked up is of no file."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False


def write_whole(path, content):
    """Write text, as UTF-8, or bytes to a pathlib.Path; it is replaced whole or not at all. A
    symbolic link stays, and what it points to is replaced; what is no regular file is written in
    place, as mipbench does (mb_file_write_atomic). Raises OSError."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    refuse_foreign_links(path)
    if path.exists() and not path.is_file():
        write_in_place(path, data)
    else:
        replace(path.resolve(), data)


def refuse_foreign_links(path):
    """A link that another user has made in a shared folder (sticky and world-writable) may be there to have another
    file replaced (mb_os_resolve). Raises OSError."""
    todo, done, n_links = list(path.absolute().parts), pathlib.Path(), 0
    while todo and hasattr(os, "geteuid"):
        done = done.parent if todo[0] == ".." else done / todo[0]
        todo = todo[1:]
        if done.is_symlink():
            n_links += 1
            folder, shared = os.stat(done.parent), stat.S_ISVTX | stat.S_IWOTH
            if folder.st_mode & shared == shared and os.lstat(done).st_uid not in (os.geteuid(), 0, folder.st_uid):
                raise OSError(errno.EACCES, "a symbolic link of another user is in the way")
            if n_links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            todo, done = [*pathlib.Path(os.readlink(done)).parts, *todo], done.parent


def write_in_place(path, data):
    """A device or pipe has no old content to keep, and renaming over it would destroy it.
    O_NONBLOCK only while opening: a pipe without a reader is an error, not a wait."""
    handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    with open(handle, "wb") as file:
        os.set_blocking(handle, True)
        file.write(data)


def replace(path, data):
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(name, mode_of(path))
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def mode_of(path):
    """The permissions of what was there, or what a new file gets."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
