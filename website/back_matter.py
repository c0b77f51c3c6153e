"""What stands at the back of the book: its terms, letters, subjects and figures, and the claims of its sources.

The lists belong to a copy of the book, not to the package: ``data/terms.yml`` and its like are in its folder.
"""

import json
import re
from html import escape
from pathlib import Path

import yaml

from website import toc


def terms(folder=".."):
    """All terms of the copy of the book in `folder`, in the order of the alphabet: a dict each.

    "term", "slug" and "means" are as in the file; "page" is the path of the page from the folder, with its "title", and
    "where" the address of the section in which the term is in bold.
    """
    found = _with_pages("terms", folder)
    for term in found:
        term["where"] = _defined(term, folder)
    return sorted(found, key=lambda term: term["term"].casefold())


def claims(folder=".."):
    """All claims of the sources, page by page in the order of the book: a dict each.

    It holds what the file says, "title", that of its chapter, and "where", the address from `folder`, a copy of the
    book, of the section that settles it.
    """
    listed = _list("claims", folder)
    titles, places = pages(folder), {}
    for page in titles:
        anchor = ""
        for cell in _cells(Path(folder) / f"{page}.ipynb"):
            text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
            first, *rest = re.split(r"^#+ ", text, flags=re.M)       # the first part belongs to the section above
            settles = cell["metadata"].get("claims", [])
            if first.strip() or not rest:
                places |= {number: f"{page}.ipynb{anchor}" for number in settles}
            if rest:
                anchor = _anchor(rest[-1].splitlines()[0]) if not text.startswith("# ") or len(rest) > 1 else ""
            places |= {number: f"{page}.ipynb{anchor}" for number in settles if number not in places}
    order = {page.rpartition("/")[2]: k for k, page in reversed(list(enumerate(titles)))}
    shown = {page.rpartition("/")[2]: title for page, title in reversed(titles.items())}
    found = [claim | {"title": shown[claim["slug"]], "where": places[claim["id"]]} for claim in listed]
    return sorted(found, key=lambda claim: (order[claim["slug"]], claim["id"]))


def subjects(folder=".."):
    """The index of subjects: what is listed for it, and every term, in the order of the alphabet, a dict each.

    Of each "subject" it has what it is "also" called, what else is "typed" by those who look for it, and "where" it is
    told: addresses from `folder` without a suffix, the best first; of a thing, and of each term, what it "means".  The
    section that defines a term comes first.
    """
    listed = _list("subjects", folder)
    found = {entry["subject"]: {"also": [], "typed": [], **entry} for entry in listed}
    for term in terms(folder):
        place = term["where"]
        entry = found.setdefault(term["term"], {"subject": term["term"], "also": [], "typed": [], "where": []})
        entry |= {"means": term["means"], "where": [place, *(other for other in entry["where"] if other != place)]}
    return sorted(found.values(), key=lambda entry: re.sub(r"\W", "", entry["subject"]).casefold())


def places(folder=".."):
    """All pages of the book by their paths from `folder`, without a suffix: title up to a colon, and suffix."""
    return {page: (_title(file), file.suffix) for page, file in toc.sources(Path(folder)).items()}


def parts(folder=".."):
    """The part of the book that each page belongs to, as the table of contents calls it; that of the cover is Cover."""
    return {toc.pages(Path(folder))[0]: "Cover"} | toc.captions(Path(folder))


def letters(folder=".."):
    """The letters of the formulas, here and in the three texts, with the page that needs each first.

    A dict each: what the file says, and "page" and "title", those of its page.
    """
    return _with_pages("letters", folder)


def moving(folder=".."):
    """The figures that move, in the order of the book: of each kind the places where it stands.

    A kind is what the figures' classes call it, a place a pair: the address from `folder` of the section, and the title
    of the page.
    """
    found = {}
    for page, title in {"index": "Cover", **pages(folder)}.items():
        anchor = ""
        for cell in _cells(Path(folder) / f"{page}.ipynb"):
            if cell["cell_type"] == "markdown":
                anchor = [anchor, *map(_anchor, re.findall(r"^##+ (.+)$", "".join(cell["source"]), flags=re.M))][-1]
            html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell.get("outputs", []))
            for kind in re.findall(r'data-ak-figure="(\w+)"', html):
                if kind != "practice" and not (page == "index" and found):      # the doors lead to other pages' figures
                    found.setdefault(kind, []).append((f"{page}.ipynb{anchor}", title))
    return found


def claims_to_filter(listed, sources):
    """The claims as a list in HTML that can be filtered by source, verdict and page, by style sheet rules alone.

    `listed` is what `claims` returns; `sources` has the words for each source.  Where style sheets do not count, it is
    the whole list.
    """
    slugs = {claim["slug"]: claim["title"] for claim in listed}
    verdicts = list(dict.fromkeys(claim["verdict"] for claim in listed))
    groups = []
    for slug, title in slugs.items():
        rows = claims_in_rows([claim for claim in listed if claim["slug"] == slug], sources, named=True)
        groups.append(f'<section class="p-{slug}"><h3>{escape(title)}</h3>{rows}</section>')
    asked = (_choice("Source", "s", sources) + _choice("Verdict", "v", dict(zip(verdicts, verdicts)))
             + _choice("Page", "p", slugs))
    return (f'<div class="ak-claims"><style>{_rules(sources, verdicts, slugs)}</style><form>{asked}'
            f'<button type="reset">Show all</button></form>{"".join(groups)}'
            f'<p class="ak-count"> of {len(listed)} statements are shown.</p></div>')


def claims_in_rows(listed, sources, named=False):
    """Some claims as a list in HTML, a row each that leads to where it is settled: the verdict, the source's words and
    what is right.  Where they are `named`, each has an address.
    """
    return f'<ol class="ak-rows">{"".join(_told(claim, sources, named) for claim in listed)}</ol>'


def typeset(words):
    """Words with the letters of their formulas low and high.

    >>> typeset("x_i W^Q")
    'x<sub>i</sub> W<sup>Q</sup>'
    """
    words = re.sub(r"\^(?:\(([^()]*)\)|([A-Za-z\d])(?!\w))", lambda m: f"<sup>{m[1] or m[2]}</sup>", words)
    return re.sub(r"(?<=\w)_([a-z]+,[a-z]+|[A-Za-z]{1,5}|\d)(?![a-z])", r"<sub>\1</sub>", words)


def _told(claim, sources, named):
    quote, right = (escape(" ".join(str(claim[part]).split()), quote=False) for part in ("quote", "right"))
    within = re.sub('"([^"]*)"', "‘\\1’", quote)            # its own marks are single ones
    verdict, number = claim["verdict"], claim["id"]
    name = f' id="claim-{number}"' if named else ""
    told = (f'<q>{typeset(within)}</q> <small>{sources[claim["source"]]}, no. {number}</small> '
            f'<span>{typeset(right)}</span>')
    return (f'<li{name} class="s-{claim["source"]} v-{verdict}"><a href="../{claim["where"]}"><b>{verdict}</b> '
            f'{told}</a></li>')


def _choice(label, kind, options):
    listed = "".join(f'<option value="{kind}-{value}">{escape(said)}</option>' for value, said in options.items())
    return f'<label>{label} <select><option value="">all</option>{listed}</select></label>'


def _rules(sources, verdicts, slugs):
    """What hides the claims that were not asked for, and the pages of which none is left."""
    def asked(*values):
        return ".ak-claims" + "".join(f":has(option[value={value}]:checked)" for value in values)

    parts = [f"s-{source}" for source in sources] + [f"v-{verdict}" for verdict in verdicts]
    hidden = [f"{asked(part)} li:not(.{part})" for part in parts]
    hidden += [f"{asked(part)} section:not(:has(.{part}))" for part in parts]
    hidden += [f"{asked(f's-{source}', f'v-{verdict}')} section:not(:has(.s-{source}.v-{verdict}))"
               for source in sources for verdict in verdicts]
    hidden += [f"{asked(f'p-{slug}')} section:not(.p-{slug})" for slug in slugs]
    return ",".join(hidden) + "{display:none}"


def sections(page, folder=".."):
    """The sections of a page: their addresses from `folder` without a suffix, with heading and text; the first begins
    the page.
    """
    found = [[page, "", ""]]
    for cell in _cells(Path(folder) / f"{page}.ipynb"):
        # A sentence with a number in it is what a cell wrote.
        written = [output["data"].get("text/markdown", "") for output in cell.get("outputs", []) if "data" in output]
        text = "".join(cell["source"] if cell["cell_type"] == "markdown" else map("".join, written))
        for line in text.splitlines():
            level, _, words = line.partition(" ")
            if level in ("#", "##", "###") and words:
                found.append([page if level == "#" else page + _anchor(words), words, ""])
            else:
                found[-1][2] += line + "\n"
    return [tuple(section) for section in found if section[1]]


def pages(folder=".."):
    """The chapters and their side rooms in the order of the book, with their titles up to a colon."""
    return {page: _title(Path(folder) / f"{page}.ipynb") for page in toc.chapters(Path(folder))}


def _defined(term, folder):
    """The section of its page in which a term is in bold."""
    bold = re.compile(rf"\*\*{re.escape(term['term'])}\*\*", flags=re.I)
    return next((at for at, _, text in sections(term["page"], folder) if bold.search(text)), term["page"])


def _list(name, folder):
    """What one of the lists in the book's folder holds."""
    return yaml.safe_load((Path(folder) / "data" / f"{name}.yml").read_text(encoding="utf-8"))


def _with_pages(name, folder):
    """The entries of a list, each with the path and the title of the page that it names; the road before side rooms."""
    titles = {page.rpartition("/")[2]: (page, title) for page, title in reversed(pages(folder).items())}
    return [entry | dict(zip(("page", "title"), titles[entry["slug"]])) for entry in _list(name, folder)]


def _title(file):
    """The first heading of a page up to a colon."""
    first = "".join(_cells(file)[0]["source"]) if file.suffix == ".ipynb" else file.read_text(encoding="utf-8")
    return first.splitlines()[0].removeprefix("# ").split(":")[0]


def _cells(notebook):
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def _anchor(heading):
    """The address of a section in its page."""
    plain = re.sub("[‘’“”'$`*]", "", heading.lower())
    return "#" + re.sub("[^a-z0-9]+", "-", plain).strip("-")
