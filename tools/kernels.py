"""Kernels that talk over sockets of their own, where the book's notebooks are executed.

Jupyter looks for five free ports, lets them go and starts a kernel, which takes them again. In between another kernel
may: one whose port for outputs is gone neither answers nor dies. Files with a name of their own nobody else takes.
"""

import os
import tempfile
import uuid
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager, KernelManager


class _Own:
    def __init__(self, **kwargs):
        if os.name == "posix":      # elsewhere ZeroMQ knows ports alone
            file = Path(tempfile.gettempdir(), f"kernel-{uuid.uuid4().hex}.json")
            kwargs = {"transport": "ipc", "connection_file": str(file), **kwargs}
        super().__init__(**kwargs)


class Own(_Own, KernelManager):
    """Of nbval's kernels."""


class AsyncOwn(_Own, AsyncKernelManager):
    """Of nbclient's kernels."""
