"""Grade what students have handed in, and write a report for their teacher: _build/grades.html and _build/grades.csv.

    python -m tools.grade FOLDER [--timeout SECONDS] [--out DIR]

FOLDER, and any folder in it, holds filled-in homework (tools/homework.py) or chapters of the book.

How it is judged: the cells of each notebook run in a process of their own, in which each ``check(name, answer)`` hands
its answer over instead of printing.  What comes back is data, numbers and words as JSON, and this process judges it
with the book's own exercises, which no student's code can reach.  A function stays where it is: it is called there
with our inputs, and its results are judged here.  The last answer counts that has no dots.  So nothing counts that a
cell prints, stores as output, or does to `check` or attnkit.

A run ends after --timeout seconds, and its processes are killed.  A cell that hangs, or ends the program, is left out
of a second or third run, so that it costs no other exercise.  Time on the processor and the size of files are limited,
and on Linux memory, too; macOS does not hold the limit of memory.  The home and working directory of a run are empty
and are thrown away, what it prints is thrown away as well, and it sees no variables of the environment.

This is NO SANDBOX.  Code runs as the user who grades: it can read and write that user's files by their full names, use
the network, stop other processes, and leave one running that has changed its session.  Use a container, or a machine
without secrets.  The answers are no secret either: they stand in the package, and a student can copy a solution from
the book, or let the package compute it.  Such an answer is right, and only a look at the code tells.
"""

import argparse
import csv
import json
import os
import re
import sys
import unicodedata
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2

from bookkit.lessons.exercises import all_exercises
from tools import homework
from tools.handed_in import FILE, ROOT, Mark, attempt, tidy
from website import road, toc

RUNS = 3
STATES = ("right", "not yet", "not answered", "error", "timed out")
TEMPLATE = Path(__file__).with_name("grades.html")


# ---- a notebook

class Asked(NamedTuple):
    """An exercise: its page, what it is called there, and whether it is in the homework."""

    page: str
    own: str
    homework: bool

    @property
    def title(self):
        """What it is called in the report."""
        return f"{self.page}: {self.own}"


class Paper(NamedTuple):
    """A file that was handed in: whose it is, the marks by exercise in the book's order, what else is to be said."""

    file: str
    student: str
    marks: dict
    notes: list


def graded(path, folder, seconds):
    """Grade one file."""
    file = path.relative_to(folder).as_posix()
    student = file.split("/")[0].removesuffix(".ipynb")      # a folder for each student, or a file
    if path.suffix != ".ipynb":
        return Paper(file, "", {}, ["This is no notebook, so it was left out."])
    try:
        cells, page = read(path)
    except ValueError as problem:
        return Paper(file, student, {}, [str(problem)])
    student = named(cells) or student
    there = {name for code in cells for name in checks(code)}
    pages = {page, *(name.split("/")[0] for name in there if all_asked()[name].homework)}
    asked = [name for name, one in all_asked().items()
             if name in there or (one.homework and name.split("/")[0] in pages)]
    if not asked:
        return Paper(file, student, {}, ["No exercise of this book is in it."])
    marks, notes, left_out = {}, [], {}
    for _ in range(RUNS):
        marks, stops, end = attempt([(k, cells[k]) for k in needed(cells) if k not in left_out], seconds)
        if not end:
            break
        left_out[end[0]] = end[1]
    for k, mark in sorted({**stops, **left_out}.items()):
        names = checks(cells[k])
        for name in names:
            if marks.get(name, Mark("not answered")).state == "not answered":
                marks[name] = mark
        if not names and cells[k] not in book_cells():      # the book's own may want its folder
            notes.append(f"A cell without an exercise, code cell {k + 1}, stops. {mark.words}")
    late = Mark("timed out", "The run ended before this exercise.")
    missing = Mark("not answered", "The notebook has no cell with this exercise's check.")
    order = {name: marks.get(name) or (missing if name not in there else late if end else
                                       Mark("not answered", "Its check was not reached.")) for name in asked}
    return Paper(file, student, order, notes)


def read(path):
    """The code cells of a notebook, and the page that it is homework of, or None; a ValueError says what is wrong."""
    if path.is_symlink() or not path.is_file():
        raise ValueError("This is no ordinary file, so it was left out.")
    if path.stat().st_size > FILE:
        raise ValueError("The file is too large.")
    text = path.read_bytes()
    if not text.strip():
        raise ValueError("The file is empty.")
    try:
        notebook = json.loads(text.decode("utf-8-sig"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, RecursionError):
        raise ValueError("The file is broken: it cannot be read as a notebook.") from None
    except (LookupError, TypeError):
        raise ValueError("It is called a notebook, but it has no cells that can be read.") from None
    metadata = notebook.get("metadata")
    page = metadata.get("attnkit") if isinstance(metadata, dict) else None
    return cells, page.get("homework") if isinstance(page, dict) else None


def named(cells):
    """What a student has written as ``name = "..."``; the code is read, not run."""
    for code in cells:
        if found := re.match(r"""\s*name\s*=\s*(["'])(.*?)\1""", code):
            return " ".join(unicodedata.normalize("NFC", found[2]).split())[:80]
    return ""


def checks(code):
    """The exercises that a cell checks, read from its text, which may be no Python."""
    found = re.findall(r"""\bcheck\(\s*(?:name\s*=\s*)?["'](\w+/\w+)["']""", code)
    return [name for name in dict.fromkeys(found) if name in all_exercises()]


@cache
def all_asked():
    """Each exercise by its name, in the order of the book."""
    return {question.name: Asked(homework.short(page), question.title, page in homework.pages())
            for page in toc.chapters() for question in homework.questions(page)}


@cache
def book_cells():
    """The code of all cells of the book."""
    return {road.source(cell) for page in toc.chapters() for cell in homework.notebook(page)["cells"]
            if cell["cell_type"] == "code"}


def needed(cells):
    """The places of the cells to run: of the book's own, which may train a model, only what an answer looks up.

    A chapter's solutions are left out.
    """
    kept, wanted = [], set()
    for k, code in reversed(list(enumerate(cells))):
        names = checks(code)
        if code.startswith("# A solution") and any(set(names) & set(checks(other)) for other in cells[:k]):
            continue
        try:
            binds, loads = homework.uses(tidy(code))
        except (SyntaxError, ValueError):
            binds = loads = set()
        if names or code not in book_cells() or binds & wanted:
            kept.insert(0, k)
            wanted |= loads
    return kept


# ---- the report

def best(papers):
    """The best mark of each exercise in the papers of one student."""
    found = {}
    for name, mark in (pair for paper in papers for pair in paper.marks.items()):
        found[name] = min(found.get(name, mark), mark, key=lambda one: STATES.index(one.state))
    return found


def summed(papers):
    """What the report is made from: the students, and the exercises with the least right first."""
    groups = {}
    for paper in papers:
        if paper.marks:
            groups.setdefault(paper.student.casefold(), []).append(paper)
    students, exercises = [], []
    for _, own in sorted(groups.items()):
        times = Counter(name for paper in own for name in paper.marks)
        twice = sorted({all_asked()[name].page for name, count in times.items() if count > 1})
        students.append({"name": own[0].student, "papers": own, "marks": best(own), "twice": twice})
    for name, asked in all_asked().items():
        marks = [student["marks"][name] for student in students if name in student["marks"]]
        if marks:
            said = Counter(mark.words for mark in marks if mark.state == "not yet").most_common(1)
            exercises.append({"name": name, "title": asked.title, "total": len(marks), "said": said,
                              "counts": [sum(mark.state == state for mark in marks) for state in STATES]})
    exercises.sort(key=lambda one: one["counts"][0] / one["total"])
    return students, exercises


def harmless(text):
    """Text for a cell of a spreadsheet, which would take some beginnings for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write(papers, out):
    """Write both reports into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    students, exercises = summed(papers)
    others = [(paper.file, paper.notes[0]) for paper in papers if not paper.marks]
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        TEMPLATE.read_text(encoding="utf-8")).render(
        students=students, exercises=exercises, others=others, states=STATES, asked=all_asked())
    (out / "grades.html").write_text(page, encoding="utf-8", errors="replace")
    with (out / "grades.csv").open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "file", "exercise", "title", "result", "sentence"])
        for paper in papers:
            for name, mark in paper.marks.items():
                rows.writerow(map(harmless, [paper.student, paper.file, name, all_asked()[name].title, *mark]))
            if not paper.marks:
                rows.writerow(map(harmless, [paper.student, paper.file, "", "", "not graded", paper.notes[0]]))


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the handed-in notebooks are")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run of a notebook (120)")
    parser.add_argument("--out", type=Path, default=ROOT / "_build", help="write there instead of into _build")
    args = parser.parse_args()
    if not args.folder.is_dir():
        return refuse(f"There is no folder {args.folder}. Name the folder with the handed-in notebooks.")
    paths = sorted(path for path in args.folder.rglob("*") if not path.is_dir()
                   and not any(part.startswith(".") for part in path.relative_to(args.folder).parts))
    if not paths:
        return refuse(f"There is nothing in the folder {args.folder}. Put the handed-in notebooks there.")
    warnings.simplefilter("ignore")      # of a student's code as it is read, and of odd numbers as they are judged
    all_asked(), book_cells()      # once, before several threads ask
    papers = []
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for paper in pool.map(lambda path: graded(path, args.folder, args.timeout), paths):
            papers.append(paper)
            right = sum(mark.state == "right" for mark in paper.marks.values())
            print(f"[{len(papers)} of {len(paths)}] {paper.file!r}: " + (
                f"{right} of {len(paper.marks)} right" if paper.marks else paper.notes[0]), flush=True)
    write(papers, args.out)
    print(f"The report is in {args.out / 'grades.html'}, a table for a spreadsheet in {args.out / 'grades.csv'}.")


def refuse(words):
    """Say why nothing is graded; the exit code for it."""
    print(words, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
