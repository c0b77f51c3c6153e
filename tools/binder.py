"""Make Binder's environment, as far as that goes without conda, and execute every notebook in it.

    python -m tools.binder

In a copy of the repository, a fresh environment of this Python gets the pip lines of environment.yml and what postBuild
does, repo2docker reads the files, and each notebook is executed from its own folder, where only the installed attnkit
is found. What is not tried: that conda can make its part, Python and pip; Binder's own network and limits.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from website import toc

ROOT = Path(__file__).resolve().parent.parent
REPO2DOCKER = "jupyter-repo2docker==2026.4.0"


def run(*command, cwd, env=None):
    """Run a command to its end; what it said is shown only if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:4]))} ... failed\n{(done.stdout + done.stderr)[-8000:]}")
    return done.stdout + done.stderr


def copy_of_the_book(folder):
    """The files that git knows, as they are now."""
    for name in run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0"):
        if name and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def environment(folder):
    """An environment with the pip lines of environment.yml, made beside the copy; its variables."""
    asked = yaml.safe_load((folder / "environment.yml").read_text())["dependencies"]
    pins = dict(line.split("=") for line in asked if isinstance(line, str))
    if pins["python"] != (here := f"{sys.version_info[0]}.{sys.version_info[1]}"):
        print(f"Binder has Python {pins['python']}; this is {here}", flush=True)
    [lines] = [line["pip"] for line in asked if isinstance(line, dict)]
    asked = folder.parent / "pip.txt"
    asked.write_text("\n".join(lines))
    venv = folder.parent / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=folder)
    # An index that cannot be reached is passed over at once, not after some minutes.
    env = {**os.environ, "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder.parent),
           "VIRTUAL_ENV": str(venv), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_RETRIES": "1", "PIP_TIMEOUT": "10"}
    for name in ("PYTHONPATH", "PYTHONHOME"):
        env.pop(name, None)
    run("python", "-m", "pip", "install", "--quiet", f"pip=={pins['pip']}", cwd=folder, env=env)
    run("python", "-m", "pip", "install", "--quiet", "-r", asked, cwd=folder, env=env)
    return env


def main():
    """Make the environment, let repo2docker read the files, execute the notebooks."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "book"
        copy_of_the_book(folder)
        env = environment(folder)
        run("bash", "postBuild", cwd=folder, env=env)
        where = run("python", "-c", "import attnkit; print(attnkit.__file__)", cwd=folder / "chapters", env=env)
        if "site-packages" not in where:
            sys.exit(f"attnkit is not the one that postBuild installs: {where}")
        print("[binder] the environment stands", flush=True)
        run(sys.executable, "-m", "venv", folder.parent / "reader", cwd=folder)
        run(folder.parent / "reader/bin/python", "-m", "pip", "install", "--quiet", REPO2DOCKER, cwd=folder)
        said = run(folder.parent / "reader/bin/repo2docker", "--no-build", "--debug", ".", cwd=folder)
        if "environment.yml" not in said or "postBuild" not in said:
            sys.exit(f"repo2docker has not read environment.yml and postBuild:\n{said[-4000:]}")
        # Each runs in its own folder, and is named as it begins.
        done = subprocess.run(["jupyter", "execute", "--timeout=3600", *toc.notebooks()], cwd=folder,
                              env={**env, "ATTNKIT_PROGRESS": "off"})
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
