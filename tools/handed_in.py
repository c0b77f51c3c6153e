"""Run what a student has handed in, in a process of its own, and judge the answers that come back from it.

How that is done, and what it does not protect from, stands in tools/grade.py, which asks for it.
"""

import ast
import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bookkit.lessons.exercises import all_exercises
from bookkit.lessons.exercises.grading import RIGHT, UNANSWERED, sentence

ROOT = Path(__file__).resolve().parent.parent
MEMORY, FILE, MESSAGE = 2 << 30, 32 << 20, 2_000_000      # bytes, bytes, characters
CELLS = 1000
OUT_OF_MEMORY = 77
UNREADABLE = SyntaxError, ValueError, RecursionError, MemoryError      # what Python says of code that it cannot read
DISTURBED = "It disturbs the grading."
EARLIER = "An earlier answer in this notebook was right; the last one counts."
START = "import sys; from tools import handed_in; handed_in.serve(sys.argv[1])"  # in the book's folder
NUMBERS = {"bool", *(f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64))} - {"float8"}


class Mark(NamedTuple):
    """What is said of an exercise: one of STATES, and a sentence."""

    state: str
    words: str = ""


class Ended(BaseException):
    """A student's process hangs or is gone; no Exception, so that no exercise takes it for a mistake of a function."""


# ---- what travels between the two processes: numbers, words and lists of them

def packed(value):
    """A value as JSON can hold it; of what is neither numbers nor words, only what kind of thing it is."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if value is ...:
        return {"is": "dots"}
    if isinstance(value, list | tuple):
        return {"is": "tuple" if isinstance(value, tuple) else "list", "of": [packed(one) for one in value]}
    if callable(value) and not hasattr(value, "detach"):
        return {"is": "function"}
    with contextlib.suppress(Exception):      # whatever numpy cannot read
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        if array.dtype.name in NUMBERS:
            return {"is": "array", "kind": array.dtype.name, "shape": array.shape, "of": array.reshape(-1).tolist()}
    return {"is": "thing", "kind": type(value).__name__}


def unpacked(value, function=None):
    """The value again; a function becomes the one that is given, and what is broken a thing that is no answer."""
    if not isinstance(value, dict | list):
        return value
    try:
        kind = value["is"]
        if kind == "dots":
            return ...
        if kind in ("list", "tuple"):
            return {"list": list, "tuple": tuple}[kind](unpacked(one, function) for one in value["of"])
        if kind == "function" and function:
            return function
        if kind == "array" and value["kind"] in NUMBERS:
            return np.array(value["of"], dtype=value["kind"]).reshape(value["shape"])
        return type(str(value["kind"])[:60], (), {})()
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return object()


def line(message):
    """A message as a line; a value that is too long for one is not sent."""
    with contextlib.suppress(ValueError, RecursionError):      # a number of too many digits; a list that holds itself
        text = json.dumps(message)
        if len(text) < MESSAGE:
            return text.encode() + b"\n"
    large = {"is": "thing", "kind": "value that is too large"}
    return line({"answer": message["answer"], "value": large} if "answer" in message
                else {"stops": ["ValueError", "its result is too large"]})


# ---- in the student's process

def serve(seconds):
    """Run the cells that come in, and hand over each answer: all that the second process does."""
    limit(float(seconds))
    os.makedirs(os.environ["HOME"], exist_ok=True)
    os.chdir(os.environ["HOME"])
    sys.argv[:] = [""]
    here, incoming, outgoing = os.getpid(), os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:      # what cells print, or ask for
        for number in range(3):
            os.dup2(nothing.fileno(), number)

    def send(message):
        if os.getpid() != here:
            os._exit(0)      # a copy of this process, made by a student's fork, has no say
        outgoing.write(line(message))
        outgoing.flush()

    def value_of(answer):
        try:
            return packed(answer)
        except RecursionError:
            return {"is": "thing", "kind": "value that holds itself"}

    def hand_over(name, answer):
        send({"answer": name, "value": value_of(answer)})
        while (inputs := json.loads(incoming.readline())) is not None:
            inputs = [unpacked(one) for one in inputs]
            try:
                send({"value": value_of(answer(*inputs)), "inputs": [packed(one) for one in inputs]})
            except BaseException as error:      # SystemExit, too
                send({"stops": kind_and_words(error)})

    cells, known = json.loads(incoming.readline())
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.display = lambda *shown, **more: None      # as in Jupyter, it is there without an import
    for k, source in cells:
        send({"cell": k})
        try:
            tree = Handing(known).visit(ast.parse(tidy(source), name := f"code cell {k + 1}"))
            module.__dict__["_hand_over_"] = hand_over
            exec(compile(ast.fix_missing_locations(tree), name, "exec"), module.__dict__)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)      # what fills the memory may be kept, and the next cells need some
        except BaseException as error:
            send({"stops": kind_and_words(error)})
    send({"done": True})
    os._exit(0)      # whatever threads are left


def limit(seconds):
    """Limit memory, files and time of this process and of those that it starts."""
    for what, most in (("RLIMIT_AS", MEMORY), ("RLIMIT_FSIZE", FILE), ("RLIMIT_CPU", int(2 * seconds) + 10),
                       ("RLIMIT_CORE", 0)):
        with contextlib.suppress(AttributeError, OSError, ValueError):      # macOS knows no limit of memory
            resource.setrlimit(getattr(resource, what), (most, most))


class Handing(ast.NodeTransformer):
    """Turns each ``check`` of a known exercise into a call that hands the answer over, whatever `check` is by then."""

    def __init__(self, known):
        self.known = set(known)

    def visit_Call(self, node):
        """Change one call."""
        self.generic_visit(node)
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
        if called == "check" and len(node.args) + len(node.keywords) == 2 and isinstance(first, ast.Constant) \
                and first.value in self.known:
            node.func = ast.Name("_hand_over_", ast.Load())
        return node


def tidy(source):
    """Python as it is; what only Jupyter understands, magics and lines for a shell, is left out."""
    with contextlib.suppress(*UNREADABLE):
        ast.parse(source)
        return source
    lines = source.split("\n")
    for k, line in enumerate(lines):
        code = line.lstrip(" \t")
        if code.startswith(("%", "!", "?")) or code.endswith("?"):
            lines[k] = line[:len(line) - len(code)] + "pass"
    return "\n".join(lines)


def kind_and_words(error):
    """What an error is called and what it says."""
    try:
        return type(error).__name__[:60], " ".join(str(error).split())[:300]
    except Exception:      # an error may fail to say what it is
        return type(error).__name__[:60], ""


# ---- in this process: one run

class Student:
    """A process that runs a student's cells; every wait for it ends in time."""

    def __init__(self, folder, seconds, engine=None):
        self.engine, self.done = engine, False
        self.ends = time.monotonic() + seconds
        self.socket, other = socket.socketpair()
        self.buffer = b""
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
        env = {**keep, "HOME": folder, "TMPDIR": folder, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg",
               "ATTNKIT_PROGRESS": "off"}
        command = [sys.executable, "-c", START, str(seconds)]
        if engine:
            self.container, command = engine.new(seconds, *command[1:])
            env = None
        with other:
            self.process = subprocess.Popen(command, cwd=folder if engine else ROOT, env=env, start_new_session=True,
                                            stdin=other, stdout=other, stderr=subprocess.DEVNULL)

    def send(self, message):
        """Send a message."""
        self.wait(self.socket.sendall, json.dumps(message).encode() + b"\n", at_once=True)

    def receive(self):
        """The next message, a dict."""
        while b"\n" not in self.buffer:
            piece = self.wait(self.socket.recv, 1 << 16)
            self.buffer += piece
            if not piece or len(self.buffer) > 2 * MESSAGE:
                raise Ended(Mark("error", self.why()))
        text, _, self.buffer = self.buffer.partition(b"\n")
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(text)
            if isinstance(message, dict):
                return message
        raise Ended(Mark("error", DISTURBED))

    def wait(self, call, argument, at_once=False):
        """Do something with the socket, at once or with looks at the process: a copy of it may hold the other end."""
        while True:
            gone = self.process.poll() is not None
            left = self.ends - time.monotonic()
            if left <= 0:
                raise Ended(Mark("timed out", "It was still running when the time was up."))
            self.socket.settimeout(left if at_once else min(left, 0.2))
            try:
                return call(argument)
            except TimeoutError:
                if gone:
                    raise Ended(Mark("error", self.why())) from None
            except OSError:
                raise Ended(Mark("error", self.why())) from None

    def why(self):
        """Why the process is gone."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.process.wait(20 if self.engine else 2)
            if self.engine and code > 128:      # as a container says that a signal has ended it
                code = 128 - code
            if code == OUT_OF_MEMORY:
                return "MemoryError: it needs more memory than it may have."
            if code == -signal.SIGKILL:
                return "Its program was killed, perhaps because it took too much memory."
            return "It ends the whole program" + (f" (signal {-code})." if code < 0 else ".")
        return DISTURBED

    def kill(self):
        """End the process and all of its group, or its container, in which all ends."""
        if self.engine:
            try:
                self.process.wait(5 if self.done else 0)      # a container goes by itself after the last message
            except subprocess.TimeoutExpired:
                self.engine.end(self.container)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.socket.close()


def attempt(cells, seconds, engine=None):
    """Run cells, pairs of a number and code: marks by exercise, cells that stop, and (the cell, a mark) of an end.

    With an `engine` (tools/containers.py) they run in a container.
    """
    if not cells:
        return {}, {}, None
    marks, stops, right, current = {}, {}, set(), cells[0][0]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        inner = Path(folder) / "home"
        inner.mkdir()
        student = Student(str(inner), seconds, engine)
        try:
            student.send([cells, list(all_exercises())])
            while "done" not in (message := student.receive()):
                if "cell" in message:
                    current = next(k for k, _ in cells if k == message["cell"])
                elif "stops" in message:
                    stops[current] = Mark("error", ": ".join(filter(None, map(str, message["stops"])))[:400])
                else:
                    name = message["answer"]
                    mark = judged(name, message["value"], student)
                    if mark.state == "right":
                        right.add(name)
                    elif mark.state != "not answered" and name in right:
                        mark = Mark(mark.state, f"{mark.words} {EARLIER}")
                    if mark.state != "not answered" or name not in marks:
                        marks[name] = mark
                    student.send(None)
            student.done = True
        except Ended as end:
            return marks, stops, (current, end.args[0])
        except (LookupError, TypeError, ValueError, StopIteration):      # no message of ours
            return marks, stops, (current, Mark("error", DISTURBED))
        finally:
            student.kill()
    return marks, stops, None


def judged(name, value, student):
    """The mark of an answer that was handed over: the book's own exercise judges it, here."""
    def function(*inputs):
        student.send([packed(one) for one in inputs])
        reply = student.receive()
        if "stops" in reply:
            kind, words = map(str, reply["stops"])
            raise type(kind, (Exception,), {})(words)
        for mine, theirs in zip(inputs, map(unpacked, reply["inputs"])):
            # So that an exercise sees whether its inputs were changed.
            if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray) and theirs.shape == mine.shape:
                mine[...] = theirs
            elif isinstance(mine, list) and isinstance(theirs, list):
                mine[:] = theirs
        return unpacked(reply["value"])

    try:
        verdict = all_exercises()[name].verdict(unpacked(value, function))
    except Exception as error:      # an answer that nobody has foreseen
        return Mark("error", f"It could not be judged ({type(error).__name__}).")
    if verdict == UNANSWERED:
        return Mark("not answered", "Not answered yet.")
    return Mark("right" if verdict == RIGHT else "not yet", sentence(verdict))
