"""Where the book can be found: its repository, site, Hub, Colab and models, each only if that is known.

    python -m website.addresses        all, as they are known here
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent


def repository(folder=ROOT):
    """The public https address of the book's own repository and its branch, or None: from the CI, or the git remote.

    A book that lies inside another repository has none: git is asked about this folder alone.
    """
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    if server and name and (Path(folder) / ".git").exists():
        return f"{server}/{name}", os.environ.get("GITHUB_REF_NAME", "main")
    return remote(folder)


def remote(folder):
    """The public https address that the repository in a folder is pushed to and its branch, or None."""
    if not (Path(folder) / ".git").exists():
        return None
    git = ["git", f"--git-dir={folder}/.git", "remote", "get-url", "origin"]
    try:
        told = subprocess.run(git, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:       # a machine without git
        return None
    match = re.fullmatch(r"(?:https://|ssh://git@|git@)(github\.com)[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?", told)
    return match and (f"https://{match[1]}/{match[2]}", "main")


def site():
    """The address of the site, ending in a slash, from BOOK_BASEURL; an empty text if there is none."""
    return given("BOOK_BASEURL", "the address of the site, such as https://somebody.github.io/book/")


def hub():
    """The address of a JupyterHub whose users shall have a button on each page, from BOOK_HUB; or an empty text."""
    return given("BOOK_HUB", "the address of a JupyterHub, such as https://hub.example.edu").rstrip("/")


def colab():
    """The branch of the repository that has the notebooks for Colab, from BOOK_COLAB; or an empty text."""
    branch = os.environ.get("BOOK_COLAB", "").strip()
    if not re.fullmatch(r"[\w./-]*", branch):
        raise ValueError(f"BOOK_COLAB is {branch!r}; it is to be a branch with the notebooks of tools/colab.py")
    return branch


def models():
    """Where the parts of the models lie, if not on the site itself, from BOOK_MODELS; or an empty text."""
    return given("BOOK_MODELS", "the address of the folder that holds what is in _build/models")


def given(name, what):
    """An address in the environment, ending in a slash; an empty text if there is none."""
    told = os.environ.get(name, "").strip()
    if not told:
        return ""
    parts = urlsplit(told)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"{name} is {told!r}; it is to be {what}")
    return told.rstrip("/") + "/"


if __name__ == "__main__":
    try:
        print(repository(), site(), hub(), colab(), models())
    except ValueError as error:
        sys.exit(f"[book] {error}")
