"""Grading: some thirty files as students hand them in, honest, broken and hostile, and what the report says of each.

They are made here from the homework of two pages. What hangs has a folder and a short limit of its own; there a machine
that is busy may time out what is right as well, so nothing is asked of it that depends on that.
"""

import contextlib
import csv
import json
import re
import sys
import zipfile

import numpy as np
import psutil
import pytest
from conftest import PATIENCE, ROOT

from bookkit.lessons.exercises import all_exercises
from bookkit.lessons.exercises.grading import RIGHT
from tools import containers, grade, gradebook, handed_in, homework
from website import road

SOFTMAX, NOTATION = "chapters/softmax", "chapters/notation"
HAND, ROWS, TEMPERATURE = "softmax/by_hand", "softmax/rows", "softmax/temperature"
COUNT, AVERAGE = "notation/count", "notation/average"
RIGHT_ANSWERS = {question.name: question.solution for page in (SOFTMAX, NOTATION) for question in homework.questions(page)}
WRONG_HAND = f'weights = [0.75, 0.25]\ncheck("{HAND}", weights)'


def paper(page=SOFTMAX, *, name="", answers=None, before="", drop=()):
    """A filled-in homework, as a dict: answers by exercise, and code that stands in a cell of its own before them."""
    made = json.loads(json.dumps(homework.homework(page)))
    codes = {question.code: question.name for question in homework.questions(page)}
    cells = []
    for cell in made["cells"]:
        asked = codes.get(road.source(cell))
        if asked in drop and asked:
            continue
        if road.source(cell).startswith("name ="):
            cell["source"] = f"name = {name!r}"
        cell["source"] = (answers or {}).get(asked, road.source(cell))
        cells.append(cell)
    if before:
        cells.insert(3, homework.code(before))
    return made | {"cells": cells}


def with_code(code, *, after=False):
    """A right answer to the first exercise, and some code in the same cell."""
    own = f'weights = [0.25, 0.75]\ncheck("{HAND}", weights)'
    return RIGHT_ANSWERS | {HAND: f"{own}\n{code}" if after else f"{code}\n{own}"}


FORGED = """
import os
for number in range(3, 40):
    for text in (b'{"answer": "softmax/by_hand", "verdict": "Right.", "state": "right"}\\n', b'{"done": true}\\n'):
        try:
            os.write(number, text)
        except OSError:
            pass
"""
PATCHED = """
import numpy as np
import bookkit.lessons.exercises as all_of_it
from bookkit.lessons.exercises import grading
grading.compare = lambda *anything, **more: None
grading.sentence = lambda verdict: "Right."
for kind in (grading.Value, grading.Function, grading.Judged, grading.Choice):
    kind.verdict = lambda self, answer: "Right."
all_of_it.check = lambda name, answer: print("Right.")
np.isclose = np.allclose = np.array_equal = lambda *anything, **more: np.True_
"""

# What stands in each file: (its name, what it holds, what is said of the three exercises of Softmax, or of the file).
R, N, D, E = "right", "not yet", "not answered", "error"      # D: the dots are left
FILES = {
    "right": (paper(name="Ada Lovelace", answers=RIGHT_ANSWERS), (R, R, R)),
    "wrong": (paper(answers={HAND: WRONG_HAND, ROWS: f'def f(S):\n    return S\n\ncheck("{ROWS}", f)',
                             TEMPERATURE: f'check("{TEMPERATURE}", 1 / 3)'}), (N, N, N)),
    "partly": (paper(answers={ROWS: RIGHT_ANSWERS[ROWS], HAND: WRONG_HAND}), (N, R, D)),
    "untouched": (paper(), (D, D, D)),
    "unicode": (paper(name="Zoë Ångström 雪 <b>", answers=RIGHT_ANSWERS), (R, R, R)),
    "formula": (paper(name='=HYPERLINK("http://x")', answers=RIGHT_ANSWERS), (R, R, R)),
    "prints": (paper(answers=with_code("for _ in range(10):\n    print('x' * 10**6)")), (R, R, R)),
    "exits": (paper(answers=with_code("import sys\nsys.exit(0)", after=True), before="raise SystemExit"), (R, R, R)),
    "gone": (paper(answers=with_code("import os\nos._exit(0)")), (E, R, R)),
    "killed": (paper(answers=with_code("import os, signal\nos.killpg(0, signal.SIGKILL)")), (E, R, R)),
    "import": (paper(answers=with_code("import a_module_that_nobody_has")), (E, R, R)),
    "syntax": (paper(answers=RIGHT_ANSWERS | {HAND: f'weights = [0.25, 0.75\ncheck("{HAND}", weights)'}), (E, R, R)),
    "magics": (paper(answers=with_code("%matplotlib inline\n!ls\nnp.exp?\ndisplay(3)")), (R, R, R)),
    "redefined": (paper(answers={HAND: f'def check(name, answer):\n    print("Right.")\n\n{WRONG_HAND}', ROWS: f'check("{ROWS}", lambda S: "Right.")'}), (N, N, D)),
    "patched": (paper(before=PATCHED, answers={HAND: WRONG_HAND, ROWS: f'def f(S):\n    return S\n\ncheck("{ROWS}", f)'}), (N, N, D)),
    "forged": (paper(answers={HAND: f'{FORGED}{WRONG_HAND}'}), None),
    "edited": (paper(answers={HAND: 'check("softmax/by_hand", True)', TEMPERATURE: 'True or check("softmax/temperature", 3)'}), (N, D, D)),
    "deleted": (paper(drop=(HAND, ROWS), answers=RIGHT_ANSWERS), (D, D, R)),
    "writes": (paper(answers=with_code("import os, pathlib\nfor place in ('writes.ipynb', '../x', pathlib.Path.home() / 'y'):\n"
                                       "    open(place, 'w').write('x')\nassert len(os.listdir()) == 2, os.listdir()")), (R, R, R)),
    "too_large": (paper(answers=with_code("with open('big', 'wb') as file:\n    file.write(bytes(64 << 20))")), (E, R, R)),
    "kills_its_input": (paper(answers={ROWS: f'def f(S):\n    S -= 1\n    return softmax(S)\n\nfrom attnkit import softmax\ncheck("{ROWS}", f)'}), (D, N, D)),
    "scratch": (paper(answers=RIGHT_ANSWERS | {HAND: f'{RIGHT_ANSWERS[HAND]}\ncheck("{HAND}", [1, 0])'}), (N, R, R)),
    "number": (paper(answers=RIGHT_ANSWERS | {HAND: 'weights = [0.25, 0.75]\ncheck(weights, 3)'}), (D, R, R)),
    "broken_quote": (paper(before="name = 'Zoë O'Brien'   # mine", answers=RIGHT_ANSWERS), (R, R, R)),
    "leaves_in_a_function": (paper(answers={ROWS: f'def f(S):\n    raise SystemExit("bye")\n\ncheck("{ROWS}", f)'}), (D, N, D)),
}
LOST = {
    "empty.ipynb": (b"", "The file is empty."),
    "broken.ipynb": (json.dumps(paper()).encode()[:-200], "The file is broken: it cannot be read as a notebook."),
    "essay.txt": (b"My answers", "This is no notebook, so it was left out."),
    "other_course.ipynb": (json.dumps({"cells": [homework.code("import os\nos._exit(1)")], "metadata": {}, "nbformat": 4}).encode(),
                           "No exercise of this book is in it."),
}


def chapter():
    """The page itself, two of its answers filled in; its solutions stand below them."""
    made = json.loads((ROOT / f"{NOTATION}.ipynb").read_text(encoding="utf-8"))
    for cell in made["cells"]:
        if road.answers(cell) == COUNT:
            cell["source"] = RIGHT_ANSWERS[COUNT].removeprefix("# A solution\n")
    return made


def run(folder, out, *options):
    """Grade as `make grade` does, but without a Python of its own, which would have to read the whole book first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", list(map(str, ["grade", folder, "--out", out, "--container", "no", "--timeout", 600, *options])))
        grade.main()
    return rows_of(out / "answers.csv")


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """What the report says: rows by file, the page, and what the folder held before and after."""
    folder, out = tmp_path_factory.mktemp("handed_in"), tmp_path_factory.mktemp("out")
    for name, (made, _) in FILES.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(made), encoding="utf-8")
    for name, (text, _) in LOST.items():
        (folder / name).write_bytes(text)
    (folder / "chapter.ipynb").write_text(json.dumps(chapter()), encoding="utf-8")
    (folder / "twice").mkdir()
    own = {COUNT: RIGHT_ANSWERS[COUNT]}, {AVERAGE: RIGHT_ANSWERS[AVERAGE], COUNT: f'check("{COUNT}", (6, 4, 24))'}
    for k, answers in enumerate(own):
        (folder / "twice" / f"{k}.ipynb").write_text(json.dumps(paper(NOTATION, name=("Max  Muster", "max muster")[k], answers=answers)), encoding="utf-8")
    before = contents(folder)
    rows = {}
    for row in run(folder, out):
        rows.setdefault(row["file"], []).append(row)
    return rows, (out / "grades.html").read_text(encoding="utf-8"), before, contents(folder)


def states(rows, file):
    return tuple(row["result"] for row in rows[f"{file}.ipynb"])


@pytest.mark.parametrize("name", [name for name, (_, expected) in FILES.items() if expected])
def test_what_is_said_of_each_file(graded, name):
    rows = graded[0][f"{name}.ipynb"]
    assert [row["exercise"] for row in rows] == [HAND, ROWS, TEMPERATURE]
    assert states(graded[0], name) == FILES[name][1], rows
    assert all(row["sentence"] for row in rows)


def test_a_forged_message_gives_no_point(graded):
    assert states(graded[0], "forged")[0] != "right"


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_graded_is_listed_with_the_reason(graded, name):
    (row,) = graded[0][name]
    assert (row["result"], row["sentence"]) == ("not graded", LOST[name][1])
    assert f"<li>{name}: {LOST[name][1]}</li>" in graded[1]


def test_the_sentences_are_those_of_the_check(graded):
    rows = graded[0]
    assert rows["partly.ipynb"][0]["sentence"] == "Not yet: " + all_exercises()[HAND].verdict([0.75, 0.25])
    assert rows["wrong.ipynb"][1]["sentence"] == "Not yet: " + all_exercises()[ROWS].verdict(lambda S: S)
    assert rows["right.ipynb"][0]["sentence"] == RIGHT
    assert rows["kills_its_input.ipynb"][1]["sentence"].startswith("Not yet: your function changes the arrays")
    assert rows["leaves_in_a_function.ipynb"][1]["sentence"].startswith("Not yet: your function stops with SystemExit: bye")
    assert rows["import.ipynb"][0]["sentence"] == "ModuleNotFoundError: No module named 'a_module_that_nobody_has'"
    assert rows["syntax.ipynb"][0]["sentence"].startswith("SyntaxError: ") and "(code cell 3, line 1)" in rows["syntax.ipynb"][0]["sentence"]
    assert rows["killed.ipynb"][0]["sentence"].startswith("Its program was killed")
    assert rows["gone.ipynb"][0]["sentence"] == "It ends the whole program."
    assert rows["deleted.ipynb"][0]["sentence"] == "The notebook has no cell with this exercise's check."
    assert "A cell without an exercise, code cell 3, stops. SystemExit" in graded[1]
    assert rows["scratch.ipynb"][0]["sentence"].endswith("An earlier answer in this notebook was right; the last one counts.")
    assert rows["number.ipynb"][0]["sentence"] == "The notebook has no cell with this exercise's check."
    assert "Code cell 3 checks weights, which is no exercise: its name is wanted." in graded[1]


def test_a_chapter_is_graded_without_its_solutions(graded):
    assert states(graded[0], "chapter") == ("right", "not answered")


def test_names(graded):
    rows, page = graded[:2]
    assert rows["right.ipynb"][0]["name"] == "Ada Lovelace" and rows["partly.ipynb"][0]["name"] == ""
    assert [rows[f"{name}.ipynb"][0]["id"] for name in ("right", "twice/0")] == ["right", "twice"]
    assert rows["unicode.ipynb"][0]["name"] == "Zoë Ångström 雪 <b>" and "Zoë Ångström 雪 &lt;b&gt;" in page and "<b>" not in page
    assert rows["broken_quote.ipynb"][0]["name"] == "Zoë O'Brien"
    # No cell of the table is a formula.
    assert rows["formula.ipynb"][0]["name"].startswith("'=HYPERLINK")


def test_the_files_of_one_folder_count_together(graded):
    rows, page = graded[:2]
    assert states(rows, "twice/0") == ("right", "not answered") and states(rows, "twice/1") == ("not yet", "right")
    assert page.count("Max Muster (twice)</a>") == 1
    assert re.search(r'Max Muster \(twice\)</a></th>\s*<td class="number">2</td>\s*<td class="number">2</td>', page)
    assert "Two files or more have exercises of <em>Notation</em>." in page


# ---- a class

def handed_out(folder, made):
    """Some files, by their names."""
    for name, one in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(one), encoding="utf-8")
    return folder


OWN = {HAND: f'weights = [0.25, 0.75]     # by hand\ncheck("{HAND}", weights)', TEMPERATURE: WRONG_HAND.replace(HAND, TEMPERATURE)}


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A class with a roster as Moodle writes it, two of one name, one who is not in it and one who handed in nothing."""
    base = tmp_path_factory.mktemp("class")
    handed_out(base / "in", {
        "mm17/softmax.ipynb": paper(name="Max Müller", answers=RIGHT_ANSWERS), "mm17/notation.ipynb": paper(NOTATION),
        "mm18/softmax.ipynb": paper(name="max müller", answers=OWN), "softmax_zoe.ipynb": paper(name="mm17", answers=OWN),
        "Ann Lee_4711_assignsubmission_file_/softmax.ipynb": paper(answers={HAND: WRONG_HAND}),
        "guest/softmax.ipynb": paper(answers=RIGHT_ANSWERS), "mm18/essay.txt": "mine"})
    (base / "class.csv").write_text("First name;Last name;Username;Group\nMax;Müller;mm17;A\nMax;Müller;mm18;B\nZoë;Orr;zoe;A\n"
                                    "Ann;Lee;al3;B\nTom;Ray;tr9;B\n;;;\n", encoding="utf-8-sig")
    (base / "points.yml").write_text(f"softmax: 1\n{ROWS}: 2\nnotation: 0\nattempt: 0.5\n", encoding="utf-8")
    rows = run(base / "in", base / "out", "--roster", base / "class.csv", "--points", base / "points.yml")
    return rows, base / "out"


def test_a_line_for_each_student_with_the_columns_of_the_roster(taught):
    found = rows_of(taught[1] / "grades.csv")
    assert list(found[0]) == ["First name", "Last name", "Username", "Group", "Softmax (of 4)", "Total (of 4)"]
    assert [(row["Username"], row["Total (of 4)"]) for row in found] == [
        ("mm17", "4"), ("mm18", "1.5"), ("zoe", "1.5"), ("al3", "0.5"), ("tr9", "0"), ("", "4")]
    assert [row["Group"] for row in found] == ["A", "B", "A", "B", "B", ""] and found[-1]["First name"] == "guest"


def test_a_page_for_each_student(taught):
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (taught[1] / "feedback").iterdir()}
    assert sorted(pages) == ["al3", "guest", "mm17", "mm18", "tr9", "zoe"]
    assert "<h1>Max Müller (mm18)</h1>" in pages["mm18"] and "1.5 of 4 points" in pages["mm18"] and "counts 0.5 of its points" in pages["mm18"] and "0.5 of 1" in pages["mm18"] and "softmax_zoe" not in pages["mm18"]
    assert "Nothing was handed in." in pages["tr9"] and "The roster has no student for guest." in pages["guest"]
    # What was written is for the teacher.
    assert "# by hand" in (taught[1] / "grades.html").read_text(encoding="utf-8") and "# by hand" not in pages["mm18"]
    assert "not counted" in pages["mm17"] and all("What the class" not in page for page in pages.values())


def test_what_a_teacher_corrects_holds(tmp_path, capsys):
    """Points of an exercise or a page, no grade, and an id that nobody has; each is said to whom it concerns."""
    handed_out(tmp_path / "in", {"ann/softmax.ipynb": paper(answers=RIGHT_ANSWERS), "bob/softmax.ipynb": paper(), "cy/softmax.ipynb": paper(answers=RIGHT_ANSWERS)})
    (tmp_path / "class.csv").write_text("id,name,Email\nann,Ann Lee,a@x.org\nbob,Bob Ray,b@x.org\ncy,Cy Orr,c@x.org\ndee,Dee Fox,d@x.org\n")
    (tmp_path / "points.yml").write_text(f"softmax: 1\nnotation: 1\ncorrections:\n  ann: {{softmax: 1.5, notation/count: 1}}\n  b@x.org: {{{ROWS}: 1}}\n  dee: none\n  zz: {{softmax: 1}}\n")
    run(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "class.csv", "--points", tmp_path / "points.yml")
    assert "Corrections of nobody who is here: zz." in capsys.readouterr().out
    found = {row["id"]: list(row.values())[3:] for row in rows_of(tmp_path / "out/grades.csv")}
    assert found == {"ann": ["1", "1.5", "2.5"], "bob": ["0", "1", "1"], "cy": ["0", "3", "3"], "dee": ["", "", ""]}
    told = {name: (tmp_path / f"out/feedback/{name}.html").read_text(encoding="utf-8") for name in ("ann", "bob", "cy", "dee")}
    assert "Corrected: Softmax, 1.5 points." in told["ann"] and "1 point." in told["bob"] and "Corrected" not in told["cy"] and "No grade." in told["dee"]
    for wrong in ("corrections: 3", "corrections: {ann: {sofmax: 1}}", "corrections: {ann: {softmax: yes}}", "corrections: {ann: 2}"):
        (tmp_path / "points.yml").write_text(f"softmax: 1\n{wrong}\n")
        with pytest.raises(gradebook.Refused, match="The corrections in"):
            gradebook.points(tmp_path / "points.yml", grade.all_asked())


def test_code_that_asks_the_book_is_named(tmp_path):
    """In the report, for a look; the marks stay."""
    ask = 'from bookkit.lessons.exercises import all_exercises\nweights = all_exercises()["softmax/by_hand"].right'
    mine = 'import attnkit\n' + RIGHT_ANSWERS[ROWS]
    handed_out(tmp_path / "in", {"ann/softmax.ipynb": paper(answers=with_code(ask)), "bob/softmax.ipynb": paper(answers={**RIGHT_ANSWERS, ROWS: mine}), "cy/softmax.ipynb": paper(answers=RIGHT_ANSWERS)})
    run(tmp_path / "in", tmp_path / "out")
    said = (tmp_path / "out/grades.html").read_text(encoding="utf-8").split("Code that asks the book")[1].split("</ul>")[0]
    assert "ann/softmax.ipynb: <code>" in said and "all_exercises" in said and "bob/softmax.ipynb: <code>import attnkit</code>" in said and "cy/" not in said


def test_code_that_stops_is_an_attempt_if_the_student_wrote_it(tmp_path):
    (tmp_path / "points.yml").write_text("softmax: 1\nattempt: 0.5\n")
    unread = f'weights = [0.25, 0.75\ncheck("{HAND}", weights)'
    handed_out(tmp_path / "in", {"bo/softmax.ipynb": paper(answers={HAND: unread}), "cy/softmax.ipynb": paper(before="del check")})
    rows = run(tmp_path / "in", tmp_path / "out", "--points", tmp_path / "points.yml")
    assert [(row["result"], row["points"]) for row in rows] == [(E, "0.5"), (D, "0"), (D, "0"), (D, "0"), (D, "0"), (D, "0")]


def test_moodle_takes_the_pages_back(taught):
    """Each in a folder that is called as Moodle called it: a name, a number, and what was handed in."""
    with zipfile.ZipFile(taught[1] / "feedback.zip") as packed:
        pages = {name: packed.read(name) for name in packed.namelist()}
    assert "Ann Lee_4711_assignsubmission_file_/feedback.html" in pages and len(pages) == 6
    assert pages["mm18/feedback.html"] == (taught[1] / "feedback" / "mm18.html").read_bytes()


def test_equal_answers_are_named(taught):
    page = (taught[1] / "grades.html").read_text(encoding="utf-8")
    said = page.split("Word for word the same")[1].split("</ul>")[0]
    assert re.findall("<li>(.*?)</li>", said) == ["mm18/softmax.ipynb, softmax_zoe.ipynb"]


def test_moodle_worksheet(tmp_path):
    """Its numbers stand in the folders: two of one name are told apart. Without them nobody gets 0 for a paper that is there."""
    folders = [f"Max Müller_{number}_assignsubmission_file" for number in (48101, 48108)]
    handed_out(tmp_path / "in", {f"{folders[0]}/a.ipynb": paper(answers=RIGHT_ANSWERS), f"{folders[1]}/a.ipynb": paper(answers=OWN)})
    head = "Identifier,Full name,Email address,Status,Grade,Maximum Grade"
    rows = [f"Participant 4810{k},Max Müller,m{n}@a.example,Submitted,,30.00" for n, k in ((1, 1), (2, 8))]
    (tmp_path / "sheet.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    run(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "sheet.csv")
    found = rows_of(tmp_path / "out" / "grades.csv")
    assert [(row["Email address"], row["Total (of 3)"], row["Grade"]) for row in found] == [("m1@a.example", "3", "30"), ("m2@a.example", "1", "10")]
    (tmp_path / "sheet.csv").write_text("\n".join(line.partition(",")[2] for line in [head, *rows]), encoding="utf-8")
    run(tmp_path / "in", tmp_path / "out", "--roster", tmp_path / "sheet.csv")
    found = rows_of(tmp_path / "out" / "grades.csv")
    assert [row["Total (of 3)"] for row in found] == ["", "", "3", "1"]
    own = (tmp_path / "out" / "feedback" / "m1_a.example.html").read_text(encoding="utf-8")
    assert "Nothing was handed in" not in own and folders[1] in own


def test_a_roster_as_excel_writes_it(tmp_path):
    (tmp_path / "class.csv").write_bytes("Username;Full name\r\nzb;Zoë Bär\r\n".encode("cp1252"))
    [one] = gradebook.roster(tmp_path / "class.csv")
    assert (one.own, one.name) == ("zb", "Zoë Bär")


def test_without_a_roster_each_folder_or_name_is_a_student(tmp_path):
    handed_out(tmp_path / "in", {"Max Müller/a.ipynb": paper(name="Max Müller", answers=RIGHT_ANSWERS), "max müller/a.ipynb": paper(name="Max Müller"),
                                 "softmax-anna (1).ipynb": paper(answers=OWN), "notation_anna.ipynb": paper(NOTATION)})
    run(tmp_path / "in", tmp_path / "out")
    found = rows_of(tmp_path / "out" / "grades.csv")
    total = next(name for name in found[0] if name.startswith("Total"))
    assert [(row["id"], row["name"], row[total]) for row in found] == [
        ("anna", "", "1"), ("Max Müller", "Max Müller", "3"), ("max müller", "Max Müller", "0")]
    assert list(found[0])[:2] == ["id", "name"]


REFUSED = {
    "roster": [("", "needs a first line"), ("name\nAda\n", "one for an id"), ("id\n1\n", "needs a first line"),
               ("id,name\n1,Ada\n1,Bob\n", "has the id 1 twice"), ("id,name\n,\n", "has no students")],
    "points": [("softmax: one", "have 'one' for softmax"), ("softmax: -1", "a number that is not negative"), ("- softmax", "must be lines"),
               ("sofmax: 1", "have sofmax, which is no page"), ("attempt: 2", "a share, between 0 and 1"), ("a: b: c", "cannot be read")],
}


@pytest.mark.parametrize("case", [(what, text, said) for what, rows in REFUSED.items() for text, said in rows])
def test_a_roster_or_points_that_cannot_be_used_are_refused_before_anything_runs(tmp_path, case):
    what, text, said = case
    (tmp_path / "given").write_text(text, encoding="utf-8")
    with pytest.raises(gradebook.Refused, match=re.escape(said)):
        gradebook.roster(tmp_path / "given") if what == "roster" else gradebook.points(tmp_path / "given", grade.all_asked())
    with pytest.raises(gradebook.Refused, match="cannot be read"):
        gradebook.roster(tmp_path / "none") if what == "roster" else gradebook.points(tmp_path / "none", grade.all_asked())


@pytest.mark.parametrize("file, own", [("12345/x.ipynb", "a"), ("mullerada_12345_9_softmax.ipynb", "a"), ("Ada Muller_77_assign/x.ipynb", "a"), ("ada/x.ipynb", None),
                                       ("123456/x.ipynb", None), ("ADA@X.ORG/x.ipynb", "a")])
def test_whose_a_file_is(file, own):
    [one] = [gradebook.Student("a1", "Ada Muller", {}, ("a1", "12345", "ada@x.org"))]
    found, said = gradebook.whose(file, [one])
    assert (found == [one]) == (own == "a") and bool(said) == (own is None)


def test_what_a_student_calls_a_file_makes_it_nobody_elses():
    """Canvas and Moodle put who it is in front; the rest may name a friend, or hold a number."""
    ann, bob = [gradebook.Student(own, name, {}, (own, number, f"{own}@x.org")) for own, name, number in (("novaka", "Ann Novak", "778"), ("bschmidt", "Bob Schmidt", "777"))]
    for file in ("novaka_778_9002_softmax_bschmidt.ipynb", "novaka_LATE_778_9002_my homework 777.ipynb", "Ann Novak_778_assignsubmission_file/bschmidt.ipynb",
                 "bschmidt@x.org_778_assignsubmission_file_/a.ipynb"):
        assert gradebook.whose(file, [ann, bob]) == ([ann], ""), file
    assert gradebook.whose("somebody_5_9003_777.ipynb", [ann, bob])[0] == []
    # Moodle without folders: what stands behind the first number is the student's.
    assert gradebook.whose("Ann Novak_778_assignsubmission_file_softmax_777_assign.ipynb", [ann, bob]) == ([ann], "")
    found, said = gradebook.whose("bschmidt novaka.ipynb", [ann._replace(own="x", ids=("novaka",)), bob._replace(ids=("bschmid", "novaka"))])
    assert len(found) == 2 and said.startswith("2 students")


def test_the_files_of_the_teacher_stay_as_they_were(graded):
    assert graded[2] == graded[3]


def test_the_page_is_plain_and_whole(graded):
    page = graded[1]
    assert '<html lang="en">' in page and "prefers-color-scheme: dark" in page and "<script" not in page and "http" not in page.replace("http://x", "")
    for words in ("What the class got wrong", "Students", "Answers, student by student", "Not graded", "This is no sandbox."):
        assert words in page
    assert page.count("<table>") == page.count("</table>") == page.count('role="region"') > 20
    assert all("scope=" in head for head in re.findall("<th[ >][^>]*>", page))


def test_the_exercise_with_the_fewest_right_answers_comes_first(graded):
    table = graded[1].split("What the class got wrong")[1].split("<h2>")[0]
    shares = []
    for row in re.findall(r"<tr><th scope=\"row\">.*?</tr>", table, flags=re.S):
        counts = [int(count) for count in re.findall(r'<td class="number">(\d+)</td>', row)]
        shares.append(counts[0] / sum(counts))
    assert len(shares) == 5 and shares == sorted(shares)


# ---- what hangs

HANG = {
    "loop": paper(answers=with_code("while True:\n    pass")),
    "loop_in_a_function": paper(answers={ROWS: f'def f(S):\n    while True:\n        pass\n\ncheck("{ROWS}", f)'}),
    "deaf": paper(answers=with_code("import signal, time\nfor number in range(1, 20):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n"
                                    "    except (OSError, ValueError):\n        pass\nwhile True:\n    time.sleep(60)")),
}


def test_what_hangs_is_ended_and_timed_out(tmp_path):
    rows = run(handed_out(tmp_path / "in", {f"{name}.ipynb": made for name, made in HANG.items()}), tmp_path / "out", "--timeout", 2)
    said = {(row["file"], row["exercise"]): row["result"] for row in rows}
    assert len(rows) == 9
    for name, exercise in (("loop", HAND), ("loop_in_a_function", ROWS), ("deaf", HAND)):
        assert said[f"{name}.ipynb", exercise] == "timed out"
    # The others are tried without the cell that hangs.
    assert {said["loop.ipynb", ROWS], said["loop.ipynb", TEMPERATURE]} <= {"right", "timed out"}


def test_a_copy_that_hangs_holds_nobody_up_and_is_ended(tmp_path):
    mark = tmp_path / "process"
    fork = f"import os, time\nif os.fork() == 0:\n    open({str(mark)!r}, 'w').write(str(os.getpid()))\n    while True:\n        time.sleep(1)\n" \
           f"while not os.path.exists({str(mark)!r}) or not open({str(mark)!r}).read():\n    time.sleep(0.01)"
    code = "\n".join(road.source(cell) for cell in homework.homework(SOFTMAX)["cells"][:3] if cell["cell_type"] == "code")
    marks, stops, end = handed_in.attempt([(0, code), (1, with_code(fork)[HAND]), (2, "import os\nos.fork()"), (3, RIGHT_ANSWERS[ROWS])], 600)
    assert {name: mark.state for name, mark in marks.items()} == {HAND: "right", ROWS: "right"} and not stops and not end
    with contextlib.suppress(psutil.NoSuchProcess):      # it was killed, and is gone as soon as its new parent looks
        ended = psutil.Process(int(mark.read_text()))
        assert ended.status() == psutil.STATUS_ZOMBIE or psutil.wait_procs([ended], timeout=PATIENCE)[0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds the limit of memory")
def test_what_fills_the_memory_is_ended():
    hog = f'held = []\nwhile True:\n    held.append(bytearray(256 << 20))\ncheck("{HAND}", 1)'
    marks, _, end = handed_in.attempt([(0, hog)], 600)
    assert not marks and end[0] == 0 and end[1].state == "error" and end[1].words.startswith("MemoryError")


# ---- containers

ENGINE = """#!/bin/sh
# An engine as grading calls it, without its containers: it notes each call, and runs here what it is given.
echo "$*" >> "$0.calls"
case "$1" in
    version) cat "$0.version" 2>/dev/null && exit 1 || exit 0 ;;
    image) test "$2" != ls || echo localhost/attnkit-grade:old; test -f "$0.image" ;;
    build) test -f "$4/requirements.txt" && test -f "$4/Dockerfile" && test -d "$4/book/attnkit" && touch "$0.image" ;;
    run) while test "$1" != python; do shift; done; shift
         cd ROOT && HOME="$0.home" exec PYTHON "$@" ;;
    kill) exit 0 ;;
esac
"""


@pytest.fixture
def podman(tmp_path, monkeypatch):
    """The path of an engine that is called podman, on a computer that has no other."""
    engine = tmp_path / "bin" / "podman"
    engine.parent.mkdir()
    engine.write_text(ENGINE.replace("ROOT", str(ROOT)).replace("PYTHON", sys.executable))
    engine.chmod(0o755)
    monkeypatch.setattr(containers, "ENGINES", ("podman",))
    monkeypatch.setenv("PATH", str(engine.parent), prepend=":")
    return engine


def beside(engine, kind):
    return engine.with_name(f"podman.{kind}")


def test_with_an_engine_each_run_has_a_container(podman):
    engine, said = containers.engine()
    assert said == "Each run of a notebook has a container of its own (podman)." and beside(podman, "image").exists()
    assert containers.engine()[0] == engine and beside(podman, "calls").read_text().count("build ") == 1
    calls = beside(podman, "calls").read_text()
    assert calls.count("image rm localhost/attnkit-grade:old") == 1
    cells = [(k, road.source(cell)) for k, cell in enumerate(paper(answers=RIGHT_ANSWERS)["cells"]) if cell["cell_type"] == "code"]
    marks, stops, end = handed_in.attempt(cells, 600, engine)
    assert [mark.state for mark in marks.values()] == [R, R, R] and not stops and not end
    call = beside(podman, "calls").read_text().splitlines()[-1]
    assert all(limit in call for limit in ("--network=none", "--read-only", "--user=65534", "--cap-drop=ALL", "--memory=")) and "--volume" not in call
    marks, _, end = handed_in.attempt([(0, "while True:\n    pass")], 2, engine)
    run, kill = beside(podman, "calls").read_text().splitlines()[-2:]
    assert end[1].state == "timed out" and kill == "kill " + re.search("--name=(.*?) ", run)[1]


# ---- what travels

def test_values_arrive_as_they_were_sent():
    loop = []
    loop.append(loop)
    for value in (None, True, 3, 0.1 + 0.2, "a", ..., [1, (2.5, ...)], np.arange(6.0).reshape(2, 3), np.array(True), np.zeros((0, 3)), np.float32(0.1)):
        back = handed_in.unpacked(json.loads(json.dumps(handed_in.packed(value))))
        assert type(back) is type(np.asarray(value) if isinstance(value, np.generic) else value)
        assert (np.array_equal(back, value) if hasattr(value, "dtype") else back == value) and getattr(back, "dtype", None) == getattr(value, "dtype", None)
    assert type(handed_in.unpacked(handed_in.packed({1: 2}))).__name__ == "dict"
    with pytest.raises(RecursionError):
        handed_in.packed(loop)


@pytest.mark.parametrize("broken", [{}, [], {"is": 3}, {"is": "array", "kind": "object", "shape": [1], "of": [1]},
                                    {"is": "array", "kind": "float64", "shape": [3], "of": [1]}, {"is": "list", "of": 3}, {"is": "thing", "kind": "a\0b"}])
def test_what_is_broken_is_no_answer(broken):
    assert all_exercises()[HAND].verdict(handed_in.unpacked(broken)) != RIGHT
