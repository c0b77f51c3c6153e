"""Kernels that are copies of one process (tools/kernels.py): each as fresh as one that starts from nothing."""

import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

from tools import kernels, notebooks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no copies there")


def ran(code, folder):
    """What a kernel of its own prints."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, kernel_name="python3", kernel_manager_class=notebooks.AsyncKernel,
                   resources={"metadata": {"path": str(folder)}}).execute()
    return "".join(output.text for output in notebook.cells[0].outputs)


def test_a_kernel_is_a_fresh_copy(tmp_path, monkeypatch):
    """It has what was imported, nothing of the book, its own folder, variables and chance, and ends with its parent."""
    code = """import os, sys, numpy, random, matplotlib
fresh = not {'known', 'attnkit', 'bookkit'} & {*globals(), *sys.modules} and 'torch' in sys.modules
known = numpy.known = 'by this one alone'
print(fresh, os.getcwd(), os.environ.get('ASKED'), os.path.realpath(sys.argv[0]).startswith(os.getcwd()), matplotlib.get_backend())
print(os.getppid(), numpy.random.rand(), random.random())"""
    monkeypatch.setenv("ASKED", "twice")
    (first, chance), (second, other) = [ran(code, tmp_path).splitlines() for _ in range(2)]
    assert first == second == f"True {tmp_path} twice False module://matplotlib_inline.backend_inline"
    original = kernels.Copied.original
    assert chance.split()[0] == other.split()[0] == str(original.pid)
    assert not {*chance.split()[1:]} & {*other.split()[1:]}
    # None outlives who asked for it.
    with original, pytest.raises(DeadKernelError):
        ran(f"import os, time; os.kill({original.pid}, 9); time.sleep(60)", tmp_path)
    kernels.Copied.original = None
