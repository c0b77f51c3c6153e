"""Whose papers they are, what each answer is worth, and the tables that a learning platform takes.

A student is a folder, or what a file is called; never the name that is typed inside, which two people may share.  A
roster says who they are and who is missing; a file of points says which exercises count, and for how much.
"""

import csv
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import yaml

from website import toc

# What the columns of a roster are called: as Canvas and Moodle write them, and as people do.
IDS = ("identifier", "sis login id", "login id", "username", "id number", "student id", "sis user id", "id",
       "email address", "email")
FULL, FIRST, LAST = ("student", "name", "full name", "student name"), ("first name",), ("surname", "last name")
# Who somebody is in what a platform downloads; what stands behind it, the student has chosen.
MOODLE = re.compile(r"(?P<own>.+?_(?P<number>\d+))_assign")
CANVAS = re.compile(r"(?P<own>[^_]+_(?:LATE_)?(?P<number>\d+))_(?:LATE_)?\d+_", re.I)
LEFT_BESIDE = re.compile(r"[\s_\-.]*\(\d+\)$|^[\s_\-.]+|[\s_\-.]+$")


class Refused(Exception):
    """What a teacher gave cannot be used, and why."""


# ---- who

class Student(NamedTuple):
    """A line of the roster: an id, a name, the roster's own columns, which come back with the grades, and all ids."""

    own: str
    name: str
    row: dict
    ids: tuple


def plain(text):
    """Text in which two spellings of the same words are the same."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().replace("_", " ").split())


def roster(path):
    """The students of a class from a CSV file with a column for an id and one or two for a name."""
    try:
        told = Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"The roster {path} cannot be read: {error}.") from None
    try:
        text = told.decode("utf-8-sig")
    except UnicodeDecodeError:      # as Excel on Windows writes it
        text = told.decode("cp1252", errors="replace")
    first = text.split("\n", 1)[0]
    rows = list(csv.DictReader(text.splitlines(), delimiter=max(",;\t", key=first.count)))
    columns = {plain(name or ""): name for name in (rows[0] if rows else {})}
    ids = [columns[one] for one in IDS if one in columns]
    names = next(([columns[one]] for one in FULL if one in columns), None) or [
        columns[one] for kind in (FIRST, LAST) for one in kind if one in columns][:2]
    if not ids or not names:
        raise Refused(f"The roster {path} needs a first line with the names of its columns: one for an id, such as id, "
                      "username or email, and name, or first name and last name. "
                      f"It has {', '.join(columns) or 'none'}.")
    found = []
    for row in rows:
        own = tuple(value for one in ids if (value := (row[one] or "").strip()))
        # Moodle's worksheet says "Participant 48101", and its folders "Max Müller_48101_assignsubmission_file".
        own += tuple(number[1] for value in own if (number := re.fullmatch(r"\D+ (\d+)", value)))
        if own:      # Canvas writes a line of possible points without an id
            found.append(Student(own[0], " ".join((row[one] or "").strip() for one in names).strip(), row, own))
    twice = [own for own, count in Counter(one.own.casefold() for one in found).items() if count > 1]
    if twice or not found:
        raise Refused(f"The roster {path} has {'the id ' + twice[0] + ' twice' if twice else 'no students'}.")
    return found


def place_of(file):
    """What stands for a student in the path of a file: the first folder, or the file's own name without its page."""
    first, *more = file.split("/")
    if more:
        return first
    if downloaded := CANVAS.match(first):
        return downloaded["own"]
    stem = Path(first).stem
    for slug in sorted(map(toc.slug, toc.chapters()), key=len, reverse=True):
        stem, cut = re.subn(rf"(?<![A-Za-z0-9]){slug}(?![A-Za-z0-9])", "", stem)
        if cut:
            break
    while (shorter := LEFT_BESIDE.sub("", stem)) != stem:
        stem = shorter
    return stem or Path(first).stem


def whose(file, students):
    """Who of a roster a file may be of, at best one, and what is to be said if it is not one."""
    place = place_of(file)
    downloaded = MOODLE.match(place) or CANVAS.match(file)
    if downloaded:
        place = downloaded["own"]
        if found := [one for one in students if downloaded["number"] in one.ids]:
            return found, "" if len(found) == 1 else f"{len(found)} students of the roster have the number of {place}."

    def there(own):
        return re.search(rf"(?<![^\W_]){re.escape(own.casefold())}(?![^\W_])", place.casefold())

    lengths = [max((len(own) for own in one.ids if there(own)), default=0) for one in students]
    by_id = [one for one, length in zip(students, lengths) if length and length == max(lengths)]
    found = by_id or called(place, students)
    if len(found) > 1:
        return found, f"{len(found)} students of the roster fit {place}: put the id into the folder's name."
    return found, "" if found else f"The roster has no student for {place}."


def called(place, students):
    """The students whose name a place begins with: one of them, if no id says more."""
    return [one for one in students if plain(one.name) and f"{plain(place)} ".startswith(f"{plain(one.name)} ")]


# ---- what it is worth

class Points(NamedTuple):
    """The points of each exercise that counts, by name, the share that an attempt is worth, and what was corrected.

    `corrections` has for a student's id, as the teacher wrote it, points by exercise or page; or None for no grade.
    """

    of: dict
    attempt: float = 0.0
    corrections: dict = {}      # noqa: RUF012 (nobody writes into it)

    def given(self, name, state):
        """The points for a mark; code that stops is an attempt, too."""
        share = {"right": 1.0, "not answered": 0.0}.get(state, self.attempt)
        return self.of.get(name, 0.0) * share

    def of_student(self, ids, marks):
        """The points of a student by exercise, and of pages that were corrected as a whole; None for no grade."""
        found = {name: self.given(name, mark.state) for name, mark in marks.items() if name in self.of}
        for own in ids:
            changes = self.corrections.get(own, {})
            if changes is None:
                return None
            for name, points in changes.items():
                if "/" not in name:      # all exercises of a page
                    found = {one: 0.0 if one.startswith(f"{name}/") else value for one, value in found.items()}
                found[name] = points
        return found


def points(path, exercises):
    """The points that a teacher has written: for each exercise of a page's homework, or for one exercise."""
    try:
        told = yaml.safe_load(Path(path).read_text(encoding="utf-8-sig")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise Refused(f"The points {path} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(told, dict):
        raise Refused(f"The points {path} must be lines such as softmax: 1 or softmax/rows: 2.")
    corrections = corrected(path, told.pop("corrections", None) or {}, exercises)
    for key, value in told.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise Refused(f"The points {path} have {value!r} for {key}: a number that is not negative is wanted.")
    attempt = told.pop("attempt", 0)
    if attempt > 1:
        raise Refused(f"The points {path} have {attempt} for attempt: it is a share, between 0 and 1.")
    of = {}
    for key, value in sorted(told.items(), key=lambda one: "/" in str(one[0])):
        names = [name for name, one in exercises.items() if key == name or (one.homework and key == name.split("/")[0])]
        if not names:
            raise Refused(f"The points {path} have {key}, which is no page and no exercise of the book.")
        of |= dict.fromkeys(names, float(value))
    return Points({name: of[name] for name in exercises if of.get(name)}, float(attempt), corrections)


def corrected(path, told, exercises):
    """What a teacher has corrected: for each id points by exercise or page, or None."""
    known = {*exercises, *(name.split("/")[0] for name in exercises)}
    found = {}
    for own, changes in told.items() if isinstance(told, dict) else [("corrections", told)]:
        if isinstance(changes, dict) and changes.keys() <= known and all(
                isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
                for value in changes.values()):
            found[str(own)] = {name: float(value) for name, value in changes.items()}
        elif changes == "none" or (changes is None and own != "corrections"):
            found[str(own)] = None
        else:
            raise Refused(f"The corrections in {path} have {changes!r} for {own}: points of exercises or pages are "
                          "wanted, such as {softmax/rows: 2}, or none for no grade.")
    return found


def written(number):
    """Points as a table shows them."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


# ---- the tables

def harmless(text):
    """Text for a cell of a spreadsheet, which would take some beginnings for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def table(path, head, rows):
    """Write a CSV file as spreadsheets like it."""
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        out = csv.writer(file)
        out.writerow(head)
        out.writerows([harmless(cell) for cell in row] for row in rows)


def moodles(row, points, most):
    """The grade as Moodle's worksheet wants it: of its own maximum, if it names one."""
    of = next((value for key, value in row.items() if key.strip().casefold() == "maximum grade"), "") or ""
    try:
        return written(points * float(of.replace(",", ".")) / most if most else 0)
    except ValueError:
        return written(points)


def wide(path, students, worth, titles):
    """A line for each student: the roster's own columns or id and name, the points of each page, and their sum."""
    pages = list(dict.fromkeys(name.split("/")[0] for name in worth.of))
    columns = list(next((one["row"] for one in students if one["row"]), {"id": "", "name": ""}))
    lower = {key.strip().casefold(): key for key in columns}
    graded = "identifier" in lower and lower.get("grade")      # Moodle's worksheet, which takes only that back
    rows = []
    for one in students:
        own = one["row"] or dict.fromkeys(columns, "") | {columns[0]: one["id"], columns[1 % len(columns)]: one["name"]}
        got = one["points"] or {}
        sums = [sum(value for name, value in got.items() if name.split("/")[0] == page) for page in pages]
        # No points, and not 0 of them, for who has no grade, or may have handed in what could not be told apart.
        told = [*map(written, sums), written(sum(sums))]
        if one["points"] is None or (one["unsure"] and not one["papers"]):
            told = [""] * len(told)
        if graded and one["row"]:
            own = own | {graded: told[-1] and moodles(own, sum(sums), sum(worth.of.values()))}
        rows.append([*(own[key] or "" for key in columns), *told])
    most = [sum(value for name, value in worth.of.items() if name.split("/")[0] == page) for page in pages]
    head = [*columns, *(f"{titles[page]} (of {written(value)})" for page, value in zip(pages, most)),
            f"Total (of {written(sum(most))})"]
    table(path, head, rows)
