"""The figure of byte-pair encoding: a text in pieces that grow with each merge."""

import importlib.util
import random

import pytest
from conftest import ROOT, node
from hand import CASES, alone, either_width, fits, press, says

from bookkit.figures import TextPieces
from bookkit.figures.text_pieces import drawn

spec = importlib.util.spec_from_file_location("transformer", ROOT / "examples" / "transformer.py")
transformer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transformer)

SMALL = "the theatre and the thesis, then the théâtre & the <i> there, and another théâtre on the hill"
LEARNED = [list(pair) for pair in transformer.learn_merges(SMALL, 270)]      # number 3 makes " the"
EXAMPLES = [("French", "L’été, là-bas"), ("a & b", "the <b> & the rest"), ("emoji", "the \U0001F44D\U0001F3FD")]
# Letters of one byte to four, marks that need a letter before them, and whatever one of the two languages might take for a blank.
NASTY = [*"aeht", *"aeht ", " ", "\n", "\t", "\r", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u2009", "\u2028", "\u202f", "\u3000", "\ufeff", "\u200b",
         *"é’“”ßŒÅ", "e\u0301", "\u0301", "日", "本", "語", "ㄱ", "か\u3099", "ไ", "ำ", "ن", "\u064b", "א", *"19_٣²½Ⅷ", *"<&>\"'.,-|␣⏎", "\0", "\ufffd", "\uffff",
         "\U0001F642", "\U0001F44D\U0001F3FD", "\U0001F469\u200D\U0001F4BB", "\u2764\ufe0f", "\U0001F1EB\U0001F1F7", "\U00020000", "𝔞"]


def pieces(**changed):
    return TextPieces(**({"merges": LEARNED, "text": "the <b> & the théâtre", "merged": 3, "examples": EXAMPLES} | changed))


def example():
    return pieces(caption="Cap.")


def shown(widget):
    return [*map(drawn, widget.pieces), widget.told(), f"<td>{widget.merged}</td>", f"<td>{len(widget.text)}</td>", f"<td>{len(widget.ids)}</td>"]


CHANGED = ("text", "the")
BAD = [
    (lambda: pieces(merges=[]), ValueError, "merges must be 1 to 4000, got 0"),
    (lambda: pieces(merges=[[1, 2], [257, 3]]), ValueError, r"a piece of merges\[1\] must be from 0 to 256, the number of one of the pieces before, got 257"),
    (lambda: pieces(merges=[[97, 97], *[[256 + k] * 2 for k in range(3999)]]), ValueError, r"merges\[8\] must make a piece of at most 300 bytes, got 512"),
    (lambda: pieces(merges=[[1, 2], [2, 3], [1, 2]]), ValueError, r"merges must be all different"),
    (lambda: pieces(text="é" * 301), ValueError, "text must have at most 300 characters, got 301"),
    (lambda: pieces(text="half \ud83d"), ValueError, "text must be characters that UTF-8 can write, got 'half"),
    (lambda: pieces(merged=15), ValueError, "merged must be at most 14, got 15"),
    (lambda: pieces(examples=[("a", "x"), ("a", "y")]), ValueError, r"the names of examples must be all different, got \['a', 'a'\]"),
]
REFUSED = [("text", "x" * 301, ValueError), ("text", "\udc00", ValueError), ("merged", 15, ValueError), ("merged", True, TypeError)]


# ---- the arithmetic, and Python's side

def random_texts():
    """Figures of random texts, with merges that were learned from others, or from none; none known, some or all."""
    rng = random.Random(17)
    for case in range(CASES):
        letters = rng.sample(NASTY, rng.choice([2, 5, len(NASTY)]))
        text, other = ("".join(rng.choices(letters, k=rng.choice([0, 1, 2, 12, 100])))[:300] for _ in range(2))
        if case % 2:
            learned = [list(pair) for pair in transformer.learn_merges(text + other, 256 + rng.choice([1, 10, 80]))] or LEARNED
        else:      # in an order in which nobody would learn them
            known, learned = [*{*text.encode(), 32}], []
            for _ in range(rng.choice([1, 40])):
                pair = [rng.choice(known), rng.choice(known[:9])]
                if pair not in learned:
                    known.append(256 + len(learned))
                    learned.append(pair)
        yield TextPieces(learned, text, rng.choice([0, len(learned), rng.randint(0, len(learned))]))


def test_text_pieces_arithmetic():
    """The pieces are those of the program that readers take along, and Python and the script write them alike."""
    figures_, joined = list(random_texts()), 0
    assert set(NASTY) <= {letter for widget in figures_ for letter in NASTY if letter in widget.text}
    for ours, got in zip(figures_, node("run_figures.js", {"figure": "text_pieces", "cases": [widget.state() for widget in figures_]}), strict=True):
        known = {tuple(pair): 256 + k for k, pair in enumerate(ours.merges[:ours.merged])}
        assert ours.ids == got["ids"] == transformer.encode(ours.text, known), ours.text
        assert b"".join(ours.pieces).decode() == ours.text
        assert [transformer.decode([piece], known) for piece in ours.ids] == [piece.decode(errors="replace") for piece in ours.pieces]
        assert list(map(drawn, ours.pieces)) == got["drawn"] and ours.told() == got["told"]
        joined += len(ours.ids) < len(ours.text.encode())
    assert joined > CASES / 5


def test_pairs_are_joined_from_the_left_and_do_not_overlap():
    widget = TextPieces([[97, 97], [256, 97], [256, 256]], "aaaaa aaaa", 1)
    assert widget.ids == [256, 256, 97, 32, 256, 256]
    widget.merged = 2
    assert widget.ids == [256, 257, 32, 256, 256] and widget.pieces == [b"aa", b"aaa", b" ", b"aa", b"aa"]
    widget.merged = 3      # learned later, but the pair is no longer there
    assert widget.ids == [256, 257, 32, 258]


def test_what_cannot_be_seen_is_written_as_marks_or_bytes():
    for text, written in {" the": "␣the", " ": "␣", "\n\n": "⏎⏎", "\t": "⇥", "é": "é", "\U0001F642": "\U0001F642", "e\u0301": "e\u0301", "\u0301": "CC 81",
                          "\0": "00", "\ufeff": "EF BB BF", "\u200d": "E2 80 8D", "\xa0": "C2 A0", "\xa0a": "\xa0a", "\ufeffa": "\ufeffa"}.items():
        assert drawn(text.encode()) == written, text
    assert drawn(b"\xf0\x9f") == "F0 9F" and drawn(b"a\xc3") == "61 C3" and drawn(b"\xed\xa0\x80") == "ED A0 80"


def test_text_pieces_tells():
    def told(text, merged=0, merges=([32, 116], [104, 101], [256, 257], [0xC3, 0xA9], [0xF0, 0x9F], [10, 10], [32, 32], [32, 10])):
        return TextPieces(merges, text, merged).told()

    assert told("é") == "No merges yet: each piece is a byte. 1 letter is 2 pieces." and told("").endswith("a byte. There is no text.")
    assert told("the the", 3) == "The last merge, number 3, joins “␣t” and “he” into “␣the”. 7 letters are 3 pieces."
    assert told("ab", 5).startswith("The last merge, number 5, joins “F0” and “9F” into “F0 9F”. 2 letters are 2 pieces.")


# ---- alone in a window

def presented(found, widget):
    """What is seen is the state of a figure in Python: text, slider, boxes those of the last merge outlined."""
    assert found.get_by_role("textbox", name="Your text").input_value() == widget.text
    assert found.get_by_role("slider", name="merges").input_value() == str(widget.merged)
    boxes = found.get_by_role("list", name="The pieces of your text").get_by_role("listitem")
    assert boxes.all_text_contents() == list(map(drawn, widget.pieces))
    outlined = boxes.evaluate_all("all => all.map(b => getComputedStyle(b).outlineStyle === 'solid')")
    assert outlined == [piece == 255 + widget.merged for piece in widget.ids]
    pressed = found.locator("button[aria-pressed=true]").all_inner_texts()
    assert pressed == [name for name, text in widget.examples if text == widget.text]


def push(found, value):
    found.get_by_role("slider").evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input', {bubbles: true})); }", str(value))


def whole(found):
    """Whether each box, with what is in it, lies in the figure, and none on another."""
    return found.evaluate("""f => { const all = [...f.querySelectorAll('li')].map(b => b.getBoundingClientRect()), own = f.getBoundingClientRect();
        return [...f.querySelectorAll('li')].every(b => b.scrollWidth <= b.clientWidth) && all.every((r, k) => r.left >= own.left && r.right <= own.right
            && (!k || r.left > all[k - 1].right || r.top > all[k - 1].bottom)); }""")


@pytest.mark.browser
@either_width
def test_a_text_cut_by_hand(window, tmp_path, width):
    with window(width=width, has_touch=width == 360) as w:
        widget = pieces()
        found = alone(w, tmp_path, widget)

        def check(**changed):
            for name, value in changed.items():
                setattr(widget, name, value)
            assert says(w, found) == widget.told()
            presented(found, widget)
            assert fits(w) and whole(found)

        assert found.get_by_role("status").count() == 1
        check()
        start = found.inner_text()
        for merged in (0, len(LEARNED), 1, 3):
            push(found, merged)
            check(merged=merged)
        for name, text in EXAMPLES:
            button = found.get_by_role("button", name=name, exact=True)
            button.tap() if width == 360 else button.click()
            check(text=text)
        assert found.locator("li small").all_text_contents() == "F0 9F 91 8D F0 9F 8F BD".split() and found.locator("li .ak-mark").all_text_contents() == ["␣"]
        found.get_by_role("textbox").fill("there\n\tthe\xa0the  the\u0301 日本 \x1c")
        check(text="there\n\tthe\xa0the  the\u0301 日本 \x1c")
        found.get_by_role("textbox").fill("")
        check(text="")
        press(found, "Reset")
        check(text=widget.defaults["text"], merged=3)
        assert found.inner_text() == start and not w.errors
