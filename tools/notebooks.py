"""Execute the book's notebooks and write them in their committed form.

    python -m tools.notebooks [--into FOLDER] [notebook ...]

The committed form holds outputs but nothing that differs between two runs: no
times, no widget state, no widget views, no version of the interpreter.
"""

import argparse
import os
import re
import sys
import tempfile
import uuid
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager, KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tools import book, kernels
from website import toc

ROOT = Path(__file__).resolve().parent.parent
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class OwnSockets:
    """Kernels that talk over files of their own: of two that start at once, each may take a port of the other."""

    def __init__(self, **kwargs):
        file = Path(tempfile.gettempdir(), f"kernel-{uuid.uuid4().hex}.json")
        super().__init__(**{"transport": "ipc", "connection_file": str(file), **kwargs})


class Kernel(OwnSockets, KernelManager):
    """Of nbval's kernels."""


class AsyncKernel(OwnSockets, AsyncKernelManager):
    """Of nbclient's kernels."""


def execute(path):
    """Run a notebook from top to bottom in its own folder and return it in its committed form.

    It runs to its end where sentences say other numbers than were found; then AssertionError names them all.
    """
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    book.settle()
    os.environ["ATTNKIT_PROGRESS"] = "off"      # nobody waits before it
    # record_timing would write the time of day; widget state belongs to one kernel; a busy machine hands over what
    # one print wrote in pieces; a kernel warns that it listens to this machine.
    client = NotebookClient(notebook, kernel_name="python3", timeout=3600, record_timing=False, coalesce_streams=True,
                            store_widget_state=False, kernel_manager_class=AsyncKernel,
                            extra_arguments=["--IPKernelApp.log_level=ERROR"],
                            startup_timeout=600, resources={"metadata": {"path": str(Path(path).parent)}},
                            allow_error_names=["AssertionError"])
    client.execute()
    if wrong := list(untrue(notebook)):
        raise AssertionError("\n".join(wrong))
    return normalise(notebook)


def untrue(notebook):
    """For each cell whose assertion failed: which it is, why, and the sentence above it that says otherwise."""
    above = []
    for cell in notebook.cells:
        above += re.split(r"(?<=[.?!:])\s+|\n\n", cell.source) if cell.cell_type == "markdown" else []
        for error in (output for output in cell.get("outputs", []) if output.output_type == "error"):
            said = re.search(r'the sentence says "(.*?)"', error.evalue)
            sentence = next((words for words in reversed(above) if said and said[1] in words), "")
            yield f"cell {cell.id}: {error.evalue or error.ename}\n    {sentence or cell.source.splitlines()[0]}"


def normalise(notebook):
    """Drop what differs between two runs."""
    notebook.metadata = nbformat.from_dict({
        **{k: v for k, v in notebook.metadata.items() if k not in ("widgets", "language_info")},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    })
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
    return notebook


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", help="all of the book's if none is named")
    parser.add_argument("--into", type=Path, help="write there instead of in place")
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["PYTHONHASHSEED"] = "0"
    kernels.fork()
    names = args.notebooks or toc.notebooks()
    for k, name in enumerate(names, 1):
        path = ROOT / name
        print(f"[{k} of {len(names)}] executing {name}", flush=True)
        try:
            notebook = execute(path)
        except (CellExecutionError, AssertionError) as error:
            sys.exit(f"{name}: a cell failed\n{error}")
        target = args.into / name if args.into else path
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)


if __name__ == "__main__":
    main()
