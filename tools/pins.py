"""Write requirements.lock and environment.yml anew from tools/requirements.in.

    .venv/bin/python -m tools.pins

uv resolves, in two parts, each from what is locked now: only what is asked for anew changes.
"""

import json

from tools import book

ALONE = "# ---- alone: without what they ask for\n"      # where these begin, in requirements.in and in the lock
RESOLVE = ["pip", "compile", "--universal", "--fork-strategy", "fewest", "--python-version", "3.11",
           "--no-emit-index-url", "--no-annotate", "--no-header", "--quiet"]


def resolved(uv, asked, known="", *options):
    """The lines of a lock for the lines that ask for something."""
    wanted, made = book.ROOT / "_build" / "wanted.in", book.ROOT / "_build" / "wanted.lock"
    wanted.write_text(asked), made.write_text(known)
    book.run(uv, *RESOLVE, *options, wanted, "--output-file", made)
    return made.read_text()


def environment(pins):
    """The text of environment.yml.

    All packages stand in it one by one: a line ``-r requirements.lock``, or attnkit itself, would let Binder make the
    whole of it anew at every commit, torch and all, and torch's wheels differ between its index and PyPI, so that
    there is no one hash for it.
    """
    lines = [f"--extra-index-url {book.TORCH_CPU_INDEX}", book.TORCH,
             *(json.dumps(pin) if ";" in pin else pin for pin in pins)]
    return """\
# What Binder installs, and conda users can. Made from requirements.lock by tools/pins.py; postBuild adds the packages.
name: attention-step-by-step
channels:
  - conda-forge
dependencies:
  - python=3.11
  - pip=24.3.1
  - pip:
""" + "".join(f"      - {line}\n" for line in lines)


def main():
    """Resolve and write."""
    folder = book.ROOT / "_build" / "uv"
    book.run(book.BIN / "python", "-m", "pip", "install", "--quiet", "--upgrade", "--target", folder, "uv", quiet=True)
    uv, lock = folder / "bin" / "uv", book.ROOT / "requirements.lock"
    asked = (book.ROOT / "tools" / "requirements.in").read_text()
    (first, _, alone), (was_first, _, was_alone) = asked.partition(ALONE), lock.read_text().partition(ALONE)
    hashed = "--generate-hashes"
    lock.write_text(resolved(uv, first, was_first, hashed) + ALONE
                    + resolved(uv, alone, was_alone, hashed, "--no-deps"))
    pins = resolved(uv, asked.partition("# ---- for the site")[0], "", "--constraint", lock)
    (book.ROOT / "environment.yml").write_text(environment(pins.splitlines()))


if __name__ == "__main__":
    main()
