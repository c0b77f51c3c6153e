"""Whether the lists in data/ that the back matter is made from fit the pages: of terms, subjects, letters and claims.

    python -m website.lists        what is wrong, a sentence each; the build asks first
"""

import sys

import yaml

from website import back_matter, toc


def problems(root=toc.ROOT):
    """What does not fit, in the order of the lists."""
    listed = {name: yaml.safe_load((root / "data" / f"{name}.yml").read_text(encoding="utf-8"))
              for name in ("terms", "subjects", "letters", "claims")}
    for slug in toc.parsed((root / "data/lane.yml").read_text(encoding="utf-8")):
        if slug not in [*map(toc.slug, toc.road(root)), "end"]:
            yield f"data/lane.yml names the page {slug!r}, and the road has none"
    named = {"terms": "term", "letters": "letter", "claims": "id"}
    slugs = {toc.slug(page) for page in toc.chapters(root)}
    for name, key in named.items():
        for entry in listed[name]:
            if entry["slug"] not in slugs:
                yield f"data/{name}.yml: {entry[key]!r} names the page {entry['slug']!r}, and there is none"
    for term in listed["terms"]:
        page = toc.chapter(term["slug"], root)
        said = "".join(words for *_, words in back_matter.sections(page, root)) if page else ""
        if page and f"**{term['term']}**".casefold() not in said.casefold():
            yield f"data/terms.yml: {term['term']!r} is nowhere in bold on its page {page}"
    for entry in listed["subjects"]:
        for where in entry["where"]:
            page, _, anchor = where.partition("#")
            written = page in toc.chapters(root) and page != "chapters/bibliography"
            if page not in toc.pages(root) or written and anchor and where not in {
                    at for at, *_ in back_matter.sections(page, root)}:
                yield f"data/subjects.yml: {entry['subject']!r} names the section {where}, and there is none"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found))
    sys.exit(bool(found))
