"""Grade what students have handed in, and write into _build what a teacher needs: a report, tables, a page a student.

    python -m tools.grade FOLDER [--roster CLASS.csv] [--points POINTS.yml] [--timeout SECONDS] [--out DIR]
                                  [--container auto|podman|docker|no]

FOLDER holds a folder for each student, or files with the student's id in their names: filled-in homework
(tools/homework.py) or chapters of the book.  Who a student is, and what an answer is worth, is said in
tools/gradebook.py.  What is written: grades.html; grades.csv, a line a student; answers.csv, a line an answer;
feedback, with a page for each student; and feedback.zip, with these pages in folders, as Moodle takes them back.

How it is judged: the cells of each notebook run in a process of their own, in which each ``check(name, answer)`` hands
its answer over instead of printing.  What comes back is data, numbers and words as JSON, and this process judges it
with the book's own exercises, which no student's code can reach.  A function stays where it is: it is called there
with our inputs, and its results are judged here.  The last answer counts that has no dots.  So nothing counts that a
cell prints, stores as output, or does to `check` or attnkit.

Where podman or docker is there, each run has a container (tools/containers.py): no network, no file of this computer.
A run ends after --timeout seconds, and its processes are killed.  A cell that hangs, or ends the program, is left out
of a second or third run, so that it costs no other exercise.  Time on the processor and the size of files are limited,
and on Linux memory, too; macOS does not hold the limit of memory.  The home and working directory of a run are empty
and are thrown away, what it prints is thrown away as well, and it sees no variables of the environment.

Without a container this is NO SANDBOX.  Code runs as the user who grades: it can read and write that user's files by
their full names, use the network, stop other processes, and leave one running that has changed its session.  The
answers are no secret either: they stand in the package, and a student can copy a solution from the book, or let the
package compute it.  Such an answer is right, and only a look at the code tells.
"""

import argparse
import ast
import json
import os
import re
import sys
import unicodedata
import warnings
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jinja2

from bookkit.lessons.exercises import all_exercises
from tools import containers, gradebook, homework
from tools.handed_in import CELLS, FILE, ROOT, UNREADABLE, Mark, attempt, tidy
from website import road, toc

RUNS = 3
STATES = ("right", "not yet", "not answered", "error", "timed out")
# Code that reads what answers are compared with, and code of an answer that imports what is to be written.
ASKS = re.compile(r"\ball_exercises\b|\bexercises\.\w+|\.right\b")
USES = re.compile(r"\battnkit\b")
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
    """A file that was handed in: the name typed in it, the marks by exercise in the book's order, and what else to say.

    `code` holds the cells that were changed and check an exercise, as they were written; `asks` the lines that ask the
    book for what is asked.
    """

    file: str
    name: str
    marks: dict
    notes: list
    code: tuple = ()
    asks: tuple = ()


def graded(path, folder, seconds, engine=None):
    """Grade one file, in containers of an engine if there is one."""
    file = path.relative_to(folder).as_posix()
    try:
        return of_student(path, file, seconds, engine)
    except Exception as problem:      # nobody else's grade hangs on it
        return Paper(file, "", {}, [f"It could not be graded ({type(problem).__name__})."])


def of_student(path, file, seconds, engine):
    """The same; what is wrong with the file may raise anything."""
    if ".ipynb" not in path.name:
        return Paper(file, "", {}, ["This is no notebook, so it was left out."])
    try:
        cells, page = read(path)
    except ValueError as problem:
        return Paper(file, "", {}, [str(problem)])
    student = named(cells)
    there = {name for code in cells for name in checks(code)}
    pages = {page, *(name.split("/")[0] for name in there if all_asked()[name].homework)}
    asked = [name for name, one in all_asked().items()
             if name in there or (one.homework and name.split("/")[0] in pages)]
    if not asked:
        return Paper(file, student, {}, ["No exercise of this book is in it."])
    marks, notes, left_out = {}, [], {}
    for _ in range(RUNS):
        marks, stops, end = attempt([(k, cells[k]) for k in needed(cells) if k not in left_out], seconds, engine)
        if not end:
            break
        left_out[end[0]] = end[1]
    own = tuple(code.strip() for code in cells if checks(code) and code.strip() not in given())
    tried = {name for code in own for name in checks(code)}
    for k, mark in sorted({**stops, **left_out}.items()):
        names = checks(cells[k])
        for name in tried.intersection(names):
            if marks.get(name, Mark("not answered")).state == "not answered":
                marks[name] = mark
        if not names and cells[k] not in book_cells():      # the book's own may want its folder
            notes.append(f"A cell without an exercise, code cell {k + 1}, stops. {mark.words}")
    for k, code in enumerate(cells):
        strange = None if checks(code) or code in book_cells() else re.search(r"\bcheck\(\s*([^,)\n]{1,40}),", code)
        if strange:
            notes.append(f"Code cell {k + 1} checks {strange[1].strip()}, which is no exercise: its name is wanted.")
    late = Mark("timed out", "The run ended before this exercise.")
    missing = Mark("not answered", "The notebook has no cell with this exercise's check.")
    order = {name: marks.get(name) or (missing if name not in there else late if end and name in tried else
                                       Mark("not answered", "Its check was not reached.")) for name in asked}
    asks = [line.strip() for code in cells if code not in book_cells() and code.strip() not in given()
            for line in code.splitlines() if ASKS.search(line) or (code.strip() in own and USES.search(line))]
    return Paper(file, student, order, notes, own, tuple(asks))


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
    if len(cells) > CELLS:
        raise ValueError(f"It has {len(cells):,} cells of code, far more than any page of the book.")
    metadata = notebook.get("metadata")
    page = metadata.get("attnkit") if isinstance(metadata, dict) else None
    return cells, page.get("homework") if isinstance(page, dict) else None


def named(cells):
    """What a student has written as ``name = "..."``; the code is read, not run, and may be no Python."""
    for code in cells:
        try:
            found = [node.value.value for node in ast.parse(tidy(code)).body[:1] if isinstance(node, ast.Assign)
                     and getattr(node.targets[0], "id", "") == "name" and isinstance(node.value, ast.Constant)]
        except UNREADABLE:
            found = re.findall(r"""^[ \t]*name[ \t]*=[ \t]*["'](.*)["'][ \t]*(?:#.*)?$""", code, flags=re.M)
        if found and isinstance(found[0], str) and found[0].strip():
            return " ".join(unicodedata.normalize("NFC", found[0]).split())[:80]
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


@cache
def given():
    """The cells of answers as they are handed out, and the book's solutions: what no student has written."""
    return {code.strip() for page in homework.pages() for one in homework.questions(page)
            for code in (one.code, one.solution)}


def needed(cells):
    """The places of the cells to run: of the book's own, which may train a model, only what an answer looks up.

    A chapter's solutions are left out.
    """
    kept, wanted, before = [], set(), [set()]
    for code in cells:
        before.append(before[-1].union(checks(code)))
    for k, code in reversed(list(enumerate(cells))):
        names = checks(code)
        if code.startswith("# A solution") and before[k].intersection(names):
            continue
        try:
            binds, loads = homework.uses(tidy(code))
        except UNREADABLE:
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


def by_student(papers, roster):
    """The students, those of the roster first and in its order, each with the papers and the best marks."""
    def new(own, name="", row=None, ids=()):
        return {"id": own, "name": name, "row": row or {}, "ids": ids, "papers": [], "notes": [], "unsure": []}

    groups = {one.own: new(one.own, one.name, one.row, one.ids) for one in roster}
    for paper in papers:
        found, problem = gradebook.whose(paper.file, roster) if roster else ([], "")
        own = found[0].own if len(found) == 1 else gradebook.place_of(paper.file)
        if not paper.marks and len(found) != 1:
            continue
        if len(found) != 1:
            for one in found:
                groups[one.own]["unsure"].append(paper.file)
            own = f"{own} (not in the roster)" if own in groups and groups[own]["row"] else own
        one = groups.setdefault(own, new(own))
        one["papers"].append(paper)
        one["notes"] += [problem] if problem and problem not in one["notes"] else []
        one["name"] = one["name"] or paper.name
    students = list(groups.values()) if roster else [groups[own] for own in sorted(groups, key=str.casefold)]
    for one in students:
        times = Counter(name for paper in one["papers"] for name in paper.marks)
        one["marks"] = best(one["papers"])
        one["twice"] = sorted({all_asked()[name].page for name, count in times.items() if count > 1})
    return students


def summed(students):
    """The exercises with the least right first."""
    exercises = []
    for name, asked in all_asked().items():
        marks = [student["marks"][name] for student in students if name in student["marks"]]
        if marks:
            said = Counter(mark.words for mark in marks if mark.state == "not yet").most_common(1)
            exercises.append({"name": name, "title": asked.title, "total": len(marks), "said": said,
                              "counts": [sum(mark.state == state for mark in marks) for state in STATES]})
    exercises.sort(key=lambda one: one["counts"][0] / one["total"])
    return exercises


def alike(students):
    """Files of different students in which all own answers, two or more, are the same to the letter; longest first."""
    found = {}
    for one in students:
        for paper in one["papers"]:
            if len(paper.code) > 1:
                found.setdefault(paper.code, []).append((one["id"], paper.file))
    equal = [(len("".join(code)), own) for code, own in found.items() if len({student for student, _ in own}) > 1]
    return [[file for _, file in own] for _, own in sorted(equal, key=lambda pair: -pair[0])]


def write(papers, out, roster=(), worth=None, contained=False):
    """Write the report, both tables and the pages for the students.

    What belongs to nobody in the roster comes back, and whose corrections nobody has.
    """
    students = by_student(papers, list(roster))
    if worth is None:      # a point for each exercise of a page that anybody has handed in
        pages = {name.split("/")[0] for one in students for name in one["marks"]}
        worth = gradebook.Points({name: 1.0 for name, one in all_asked().items()
                                  if one.homework and name.split("/")[0] in pages})
    others = [(paper.file, paper.notes[0]) for paper in papers if not paper.marks]
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        TEMPLATE.read_text(encoding="utf-8"))
    most = sum(worth.of.values())
    corrected = set(worth.corrections)
    for one in students:
        ids = corrected.intersection({one["id"], *one["ids"]})
        one["points"] = worth.of_student(ids, one["marks"])
        one["total"] = "–" if one["points"] is None else gradebook.written(sum(one["points"].values()))
        one["corrected"] = [] if one["points"] is None else [
            (all_asked()[name].title if name in all_asked() else homework.short(f"chapters/{name}"),
             gradebook.written(points)) for own in ids for name, points in worth.corrections[own].items()]
        one["ungraded"] = one["points"] is None
        there = {name.split("/")[0] for name in one["marks"]}
        one["missing"] = list(dict.fromkeys(all_asked()[name].page for name in worth.of
                                            if name.split("/")[0] not in there)) if one["papers"] else []
        one["title"] = one["id"] if one["name"] in ("", one["id"]) else f"{one['name']} ({one['id']})"
    shown = {"states": STATES, "asked": all_asked(), "most": gradebook.written(most),
             "attempt": gradebook.written(worth.attempt),
             "got": {name: {state: f"{gradebook.written(worth.given(name, state))} of {gradebook.written(value)}"
                            for state in STATES} for name, value in worth.of.items()}}
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    for old in (out / "feedback").glob("*.html"):
        old.unlink()
    (out / "grades.html").write_text(template.render(
        students=students, exercises=summed(students), others=others, alike=alike(students), papers=papers, whole=True,
        contained=contained, **shown), encoding="utf-8", errors="replace")
    taken = Counter()
    with zipfile.ZipFile(out / "feedback.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for one in students:
            page = template.render(students=[one], whole=False, **shown).encode("utf-8", errors="replace")
            name = re.sub(r"[^\w.-]+", "_", one["id"]).strip(".") or "student"
            taken[name.casefold()] += 1
            name += f"_{taken[name.casefold()]}" * (taken[name.casefold()] > 1)
            (out / "feedback" / f"{name}.html").write_bytes(page)
            # Moodle hands back what lies in a folder that is called as it calls it; a student has one for each task.
            for folder in sorted({paper.file.split("/")[0] for paper in one["papers"] if "/" in paper.file}) or [name]:
                packed.writestr(f"{folder}/feedback.html", page)
    # The last of a name is the page itself, not its side room.
    titles = {name.split("/")[0]: one.page for name, one in reversed(all_asked().items())}
    gradebook.wide(out / "grades.csv", students, worth, titles)
    rows, placed = [], {paper.file: one for one in students for paper in one["papers"]}
    for paper in papers:
        one = placed.get(paper.file, {"id": gradebook.place_of(paper.file), "name": ""})
        for name, mark in paper.marks.items():
            rows.append([one["id"], one["name"], paper.file, name, all_asked()[name].title, mark.state,
                         gradebook.written(worth.given(name, mark.state)), mark.words])
        if not paper.marks:
            rows.append([one["id"], one["name"], paper.file, "", "", "not graded", "0", paper.notes[0]])
    head = ["id", "name", "file", "exercise", "title", "result", "points", "sentence"]
    gradebook.table(out / "answers.csv", head, rows)
    there = {own for one in students for own in (one["id"], *one["ids"])}
    return [one["id"] for one in students if roster and not one["row"]], sorted(corrected - there)


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the handed-in notebooks are")
    parser.add_argument("--roster", type=Path, help="the class, a CSV file with an id and a name for each student")
    parser.add_argument("--points", type=Path, help="what counts: lines such as softmax: 1, or softmax/rows: 2")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run of a notebook (120)")
    parser.add_argument("--container", default="auto", choices=("auto", *containers.ENGINES, "no"),
                        help="where notebooks run: in containers if it can be (auto), of one engine, or in none")
    parser.add_argument("--out", type=Path, default=ROOT / "_build", help="write there instead of into _build")
    args = parser.parse_args()
    if not args.folder.is_dir():
        sys.exit(f"There is no folder {args.folder}. Name the folder with the handed-in notebooks.")
    paths = sorted(path for path in args.folder.rglob("*") if not path.is_dir()
                   and not any(part.startswith(".") for part in path.relative_to(args.folder).parts))
    if not paths:
        sys.exit(f"There is nothing in the folder {args.folder}. Put the handed-in notebooks there.")
    warnings.simplefilter("ignore")      # of a student's code as it is read, and of odd numbers as they are judged
    all_asked(), book_cells(), given()      # once, before several threads ask
    try:
        roster = gradebook.roster(args.roster) if args.roster else []
        worth = gradebook.points(args.points, all_asked()) if args.points else None
        engine, said = containers.engine(args.container)
    except (gradebook.Refused, containers.Unusable) as problem:
        sys.exit(str(problem))
    print(said, flush=True)
    for old in ("grades.html", "grades.csv", "answers.csv", "feedback.zip"):      # nobody takes them for today's
        (args.out / old).unlink(missing_ok=True)
    papers = in_their_order(paths, args.folder, args.timeout, engine)
    nobody, strange = write(papers, args.out, roster, worth, contained=bool(engine))
    print(f"The report is in {args.out / 'grades.html'}, a line for each student in {args.out / 'grades.csv'}, "
          f"a page for each in {args.out / 'feedback'}.")
    if nobody:
        print(f"Of nobody in the roster, or of one of several: {', '.join(nobody)}. The report says why.")
    if strange:
        print(f"Corrections of nobody who is here: {', '.join(strange)}.")
    if left_out := sum(not paper.marks for paper in papers):
        print(f"Not graded: {left_out} file{'s' * (left_out > 1)}. The report says why, at its end.")


def in_their_order(paths, folder, seconds, engine=None):
    """Grade files side by side, and say of each what came of it as it is done."""
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(graded, path, folder, seconds, engine) for path in paths]
        for k, one in enumerate(as_completed(waiting), 1):
            paper = one.result()
            right = sum(mark.state == "right" for mark in paper.marks.values())
            print(f"[{k} of {len(paths)}] {paper.file!r}: " + (
                f"{right} of {len(paper.marks)} right" if paper.marks else paper.notes[0]), flush=True)
        return [one.result() for one in waiting]


if __name__ == "__main__":
    main()
