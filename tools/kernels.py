"""Kernels that begin as copies of one process, which has imported what most notebooks import first.

    kernels.fork()      from here on this process starts its kernels so

Nothing of the book is imported there: which of its modules a notebook is made from is seen while it runs
(website/executed.py). Where no process can be copied, kernels start as anywhere.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint

import psutil
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

FIRST = ("ipykernel.kernelapp", "debugpy", "matplotlib.pyplot", "matplotlib_inline.config", "torch", "anywidget")


def fork():
    """Let this process start its kernels by copying."""
    if sys.platform == "linux":      # elsewhere threads of the system's own libraries do not live through it
        factory = KernelProvisionerFactory.instance()
        factory.provisioners["copied"] = EntryPoint("copied", "tools.kernels:Copied", factory.GROUP_NAME)
        factory.default_provisioner_name = "copied"


class Kernel(psutil.Process):
    """A copy that runs a notebook, as who started it knows a process."""

    stdin = stdout = stderr = None

    def poll(self):
        """Nothing while it runs."""
        return None if self.is_running() else 0

    def send_signal(self, sig):
        """To one that has ended, nothing."""
        with contextlib.suppress(psutil.NoSuchProcess):
            super().send_signal(sig)


class Copied(LocalProvisioner):
    """Starts kernels by copying one process, which is started before the first."""

    original = None

    async def launch_kernel(self, cmd, **kwargs):
        """Start a kernel."""
        if Copied.original is None:
            Copied.original = subprocess.Popen([sys.executable, "-m", __name__], text=True,
                                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        wanted = {"arguments": cmd[cmd.index("ipykernel_launcher") + 1:], "cwd": str(kwargs.get("cwd") or os.getcwd()),
                  "env": kwargs["env"], "quiet": "stderr" in kwargs}
        print(json.dumps(wanted), file=Copied.original.stdin, flush=True)
        self.process = Kernel(int(Copied.original.stdout.readline()))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


def become(arguments, cwd, env, quiet):
    """In the copy: be a kernel, as `python -m ipykernel_launcher` makes one."""
    import numpy
    from ipykernel import kernelapp
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing if quiet else 2, 1)
    os.dup2(1, 2)
    numpy.random.seed()      # what is not seeded shall differ from run to run, as it does anywhere
    sys.argv[1:] = arguments
    kernelapp.launch_new_instance(parent_handle=os.getppid())      # it ends when the original does


def main():
    """Import, then copy this process for each line that asks for a kernel, until nobody can ask any more."""
    del sys.path[0]                                      # the folder this was started in
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"      # as every kernel sets it
    for name in FIRST:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)        # nobody waits for a copy
    gc.freeze()
    for line in sys.stdin:
        if (copy := os.fork()) == 0:
            with contextlib.suppress(SystemExit):
                become(**json.loads(line))
            os._exit(0)
        print(copy, flush=True)


if __name__ == "__main__":
    main()
