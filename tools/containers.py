"""Containers for what students have handed in: where docker or podman is, each run of a notebook has one of its own.

Its image is made here, once, from environment.yml and the book's own packages.  A container has no network, no rights
and no file of this computer; it can write into a small folder in memory only, and all of it is gone after the run.
"""

import contextlib
import hashlib
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("podman", "docker")
PARTS = ("attnkit", "bookkit", "tools", "data")      # what a notebook of the book imports and reads
RECIPE = """\
FROM docker.io/library/python:{python}-slim
COPY requirements.txt /
RUN pip install --no-cache-dir --root-user-action=ignore -r /requirements.txt
COPY book /book
RUN chmod -R a+rX /book
WORKDIR /book
"""
NAME = "localhost/attnkit-grade"
SCRATCH = "/scratch"      # in memory, the only place to write to
LIMITS = ["--network=none", "--read-only", f"--tmpfs={SCRATCH}:rw,size=256m,mode=1777", "--user=65534:65534",
          "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pids-limit=256", "--memory=4g"]
NO_SANDBOX = "What was handed in runs as you: it can read your files and use the network."


class Unusable(Exception):
    """An engine is there, but grades cannot be made in its containers; and why."""


class Engine(NamedTuple):
    """What runs containers, docker or podman, and the image that they are made from."""

    name: str
    image: str

    def new(self, seconds, *arguments):
        """The name of a new container and the command that runs Python in it; `timeout` ends it if nobody else does."""
        own = f"attnkit-{uuid.uuid4().hex[:12]}"
        given = {"HOME": f"{SCRATCH}/own", "TMPDIR": SCRATCH, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg",
                 "ATTNKIT_PROGRESS": "off"}
        return own, [self.name, "run", "--interactive", "--rm", f"--name={own}", *LIMITS,
                     *(f"--env={name}={value}" for name, value in given.items()), self.image,
                     "timeout", "--signal=KILL", str(int(seconds) + 60), "python", *arguments]

    def end(self, own):
        """End a container that may still run."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([self.name, "kill", own], capture_output=True, check=False, timeout=60)


def engine(wanted="auto"):
    """The engine to use, or None where none is there or wanted, and a sentence that says which."""
    if wanted == "no":
        return None, f"Without containers, as was asked for. {NO_SANDBOX}"
    said = []
    for one in ENGINES if wanted == "auto" else (wanted,):
        if not shutil.which(one):
            continue
        told = ask(one, "version")
        if told.returncode == 0:
            return Engine(one, image(one)), f"Each run of a notebook has a container of its own ({one})."
        said.append(f"{one} does not answer: {last(told)}")
    if wanted != "auto":
        raise Unusable(" ".join(said) or f"There is no {wanted} on this computer.")
    return None, " ".join(["Without containers.", *(said or ["Neither docker nor podman is here."]), NO_SANDBOX])


def image(one):
    """The name of the image, which is made if it is not there yet, and tried."""
    with tempfile.TemporaryDirectory() as folder:
        own = context(Path(folder))
        if ask(one, "image", "inspect", own).returncode:
            print(f"Making an image for {one} from the packages of environment.yml: minutes, but for once.", flush=True)
            told = ask(one, "build", "--tag", own, folder, timeout=3600)
            if told.returncode:
                raise Unusable(f"{one} could not make the image: {last(told)}")
            kept = ask(one, "image", "ls", f"--filter=reference={NAME}", "--format={{.Repository}}:{{.Tag}}").stdout
            for old in set(kept.split()) - {own}:      # of the book as it was; the layers that both have stay
                ask(one, "image", "rm", old)
    _, trial = Engine(one, own).new(60, "-c", "from tools import handed_in; print('ready')")
    told = ask(*trial)
    if told.stdout.strip() != "ready":
        raise Unusable(f"{one} could not run a container: {last(told)}")
    return own


def context(folder):
    """Put into a folder what the image is made from; the image's name, in which a few letters stand for all of that."""
    asked = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    (folder / "requirements.txt").write_text("\n".join(asked[-1]["pip"]) + "\n", encoding="utf-8")
    (folder / "Dockerfile").write_text(RECIPE.format(python=asked[0].partition("=")[2]), encoding="utf-8")
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / "book" / part, ignore=shutil.ignore_patterns("__pycache__", "measured"))
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return f"{NAME}:{digest.hexdigest()[:12]}"


def ask(*command, timeout=120):
    """Run a command of an engine, and give back what it says."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=timeout,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return subprocess.CompletedProcess(command, 1, "", str(problem))


def last(told):
    """The last line of what an engine has said."""
    return (told.stderr.strip() or told.stdout.strip() or "nothing").splitlines()[-1].strip()[:300]
