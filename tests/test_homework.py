"""The homework: what a student is given, that it runs, and that nothing in it gives an answer away."""

import contextlib
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
from unittest import mock

import nbformat
import pytest
import yaml

from bookkit.lessons.exercises import all_exercises
from bookkit.lessons.exercises.grading import RIGHT, UNANSWERED, Choice, Function
from tools import grade, gradebook, homework
from website import road, toc

PAGES = homework.pages()


def sources(page, kind=None):
    return [road.source(cell) for cell in homework.homework(page)["cells"] if kind in (None, cell["cell_type"])]


def test_every_exercise_of_the_road_and_of_the_side_trips_is_homework_once():
    walked = [page for page in toc.chapters() if page in {*toc.road(), *toc.trips()}]
    assert PAGES == [page for page in walked if page in PAGES]
    names = [question.name for page in PAGES for question in homework.questions(page)]
    asked = {road.answers(cell) for page in walked for cell in homework.notebook(page)["cells"]} - {None}
    assert len(names) == len(set(names)) and set(names) == asked


@pytest.mark.parametrize("page", PAGES)
def test_a_homework_is_a_plain_notebook(page):
    made = homework.homework(page)
    nbformat.validate(nbformat.from_dict(made))
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    text = "\n".join(sources(page))
    assert sources(page)[0].startswith(f"# Homework: {homework.title(page)}\n") and sources(page)[1].startswith('name = ""')
    assert not any(cell.get("outputs") for cell in made["cells"])
    assert "Practice" not in text and "bookkit.figures" not in text and "bookkit.pictures" not in text
    # No mark of the book's own Markdown, and no link to a page that is not there.
    assert ":::" not in text and "{exercise}" not in text and ":label:" not in text
    assert not re.search(r"\]\((?!attachment:\d+\.svg\)|https?:)", text)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_gives_the_solution_away(page):
    text = "\n".join(sources(page))
    assert "A solution" not in text and "What this means" not in text and "right ==" not in text
    for question in homework.questions(page):
        given = {line.strip() for line in text.splitlines()}
        told = [line.strip() for line in question.solution.splitlines()[1:]]
        # A line may stand in the question too; not all of them.
        assert not {line for line in told if line} <= given, question.name


@pytest.mark.parametrize("page", PAGES)
def test_it_holds_what_a_solution_needs(page):
    """Each of the book's solutions is right in it; but a number or a letter that the book computes with a model is thought out."""
    solutions = {question.code: question for question in homework.questions(page)}
    scope, seen = {"__name__": "__main__"}, 0
    for code in sources(page, "code"):
        out, question = io.StringIO(), solutions.get(code)
        with contextlib.redirect_stdout(out):
            try:
                exec(question.solution if question else code, scope)
            except NameError:
                assert not isinstance(all_exercises()[question.name], Function), question.name
                continue
        if question:
            assert out.getvalue().splitlines()[-1] == RIGHT, question.name
        seen += 1
    assert seen


def test_a_choice_says_what_there_is_to_choose_from():
    for page in PAGES:
        text = "\n".join(sources(page, "markdown"))
        for question in homework.questions(page):
            asked = all_exercises()[question.name]
            if isinstance(asked, Choice):
                assert [text.count(f"- **{letter}**: {words}\n") for letter, words in zip(Choice.LETTERS, asked.words)] == [1] * len(asked.words)


def made(folder, only="", **env):
    """Homework as a teacher makes it, and the files in it."""
    with mock.patch.dict(os.environ, env), mock.patch.object(sys, "argv", ["homework", "--out", str(folder), "--only", only]):
        homework.main()
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and ".git" not in path.parts and "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("homework") / "here"
    return folder, made(folder)


def test_the_folder_is_all_that_a_student_needs(handed_out, tmp_path):
    """Every notebook runs in it, with numpy, without PyTorch, and with nothing of the book from elsewhere."""
    folder, files = handed_out
    assert {name for name in files if "/" not in name and not name.endswith(".ipynb")} == {".gitignore", "LICENSE", "README.md", "points.yml", "requirements.txt"}
    assert sum(map(len, files.values())) < 2_000_000 and not [name for name in files if name.endswith((".json", ".js"))]
    assert files["requirements.txt"].decode().split() == ["numpy>=2.0", "array-api-compat>=1.16"]
    others = sorted({*importlib.metadata.packages_distributions()} - {"numpy", "array_api_compat", "attnkit", "bookkit"})
    run = f"""
import json, pathlib, sys
class Light:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {others}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Light())
for file in sorted(pathlib.Path(".").glob("*.ipynb")):
    scope = {{}}
    for cell in json.loads(file.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
import attnkit, bookkit
assert {{pathlib.Path(one.__file__).parent.parent for one in (attnkit, bookkit)}} == {{pathlib.Path.cwd()}}
"""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", run], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [UNANSWERED] * sum(len(homework.questions(page)) for page in PAGES)


def test_it_is_a_repository_and_the_points_are_the_teachers(handed_out):
    folder = handed_out[0]
    said = yaml.safe_load((folder / "points.yml").read_text(encoding="utf-8"))
    assert said == {"attempt": 0, **dict.fromkeys(map(toc.slug, PAGES), 1)}
    assert gradebook.points(folder / "points.yml", grade.all_asked()).of == {
        question.name: 1 for page in PAGES for question in homework.questions(page)}

    def commits():
        return subprocess.run(["git", "-C", folder, "log", "--format=%s"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert commits() == ["Homework as the book has it now"]
    (folder / "points.yml").write_text("softmax: 2\n", encoding="utf-8")
    (folder / "weights.ipynb").write_text("old", encoding="utf-8")
    made(folder)
    assert len(commits()) == 2 and (folder / "points.yml").read_text(encoding="utf-8") == "softmax: 2\n"
    made(folder)
    assert len(commits()) == 2
    # What a teacher has taken out stays out, and so does what Jupyter leaves.
    (folder / "masks.ipynb").unlink()
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "masks.ipynb").write_text("{}", encoding="utf-8")
    made(folder)
    kept = subprocess.run(["git", "-C", folder, "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert sum(name.endswith(".ipynb") for name in kept) == len(PAGES) - 1 and "masks.ipynb" not in kept


def test_a_notebook_that_comes_alone_fetches_the_rest(handed_out, tmp_path):
    """As Colab brings it, from a repository whose address is known: here a folder stands for that address."""
    folder = tmp_path / "pushed"
    shutil.copytree(handed_out[0], folder)
    git = ["git", "-C", folder]
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:somebody/homework.git"], check=True)
    made(folder, "softmax", BOOK_HUB="https://hub.example.edu/")
    made(folder, "softmax")      # what was given once is not lost
    told = (folder / "README.md").read_text(encoding="utf-8")
    for link in ("https://colab.research.google.com/github/somebody/homework/blob/main/softmax.ipynb", "https://mybinder.org/v2/gh/somebody/homework/main?urlpath=lab",
                 "https://hub.example.edu/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2Fsomebody%2Fhomework&branch=main&urlpath=lab%2Ftree%2Fhomework"):
        assert f"]({link})" in told
    cells = nbformat.read(folder / "softmax.ipynb", 4).cells
    codes = [cell.source.replace("https://github.com/somebody/homework", str(folder)) for cell in cells if cell.cell_type == "code"]
    assert sum(str(folder) in code for code in codes) == 1
    (tmp_path / "alone").mkdir()
    # The environment of these tests has the packages that pip would bring, and the book's, which are hidden here.
    run = ("import subprocess, sys\n"
           "sys.meta_path[:] = [one for one in sys.meta_path if 'editable' not in repr(one).lower()]\n"
           "real = subprocess.run\nsubprocess.run = lambda command, **more: None if 'pip' in command else real(command, **more)\n"
           + "\n".join(codes) + "\nimport bookkit\nprint(bookkit.__file__)")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", run], cwd=tmp_path / "alone", env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    *said, place = done.stdout.splitlines()
    assert said == [UNANSWERED] * 3 and place == str(tmp_path / "alone" / "homework" / "bookkit" / "__init__.py")
    # Beside its folder it fetches nothing.
    assert "homework" not in os.listdir(folder)


def test_some_pages(tmp_path):
    """Those that are set, with points for these and no others, linked where the address of the book is known."""
    files = made(tmp_path / "a", "softmax, weights", BOOK_BASEURL="https://a.example/book")
    assert {name for name in files if name.endswith(".ipynb")} == {"softmax.ipynb", "weights.ipynb"}
    assert list(yaml.safe_load(files["points.yml"])) == ["attempt", "weights", "softmax"]
    assert "(https://a.example/book/chapters/softmax.html)" in files["softmax.ipynb"].decode()
    # A week later another page: it counts, and what the teacher wrote stands.
    (tmp_path / "a" / "points.yml").write_text("softmax: 3", encoding="utf-8")
    assert yaml.safe_load(made(tmp_path / "a", "masks")["points.yml"]) == {"softmax": 3, "masks": 1}
    with pytest.raises(SystemExit, match="No page with exercises is called sofmax."):
        made(tmp_path / "a", "sofmax")
