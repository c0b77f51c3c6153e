"""How wide a text in the figures' face is, so that squares and boxes fit their words.

Pictures are drawn without a browser, so the widths of the letters stand here: Source Sans 3, in thousandths of the
font's size.  tests/pictures/test_metrics.py compares them with the font itself.
"""

REGULAR = {
    200: " ", 241: "|", 246: "iî", 247: "j", 249: "',.:;·’‘", 255: "l", 263: "I", 289: "!", 292: "f", 303: "()[]{}",
    311: "-", 331: "°", 338: "t", 347: "r", 350: "/\\", 367: "²", 418: "*", 419: "s", 425: "?z", 426: "\"“”",
    446: "x", 456: "cç", 467: "vy", 476: "Y", 479: "J", 480: "–", 486: "L", 494: "F", 495: "k", 496: "eéèêë",
    497: "#$+0123456789<=>^~±×−", 500: "_", 504: "agãäà", 513: "X", 515: "V", 527: "E", 534: "S", 536: "T", 539: "Z",
    542: "`oöô", 543: "A", 544: "huüû", 547: "n", 553: "b", 555: "dpq", 566: "P", 569: "R", 571: "C", 579: "K",
    588: "B", 609: "&", 615: "D", 617: "G", 645: "U", 647: "N", 652: "H", 664: "OQ", 719: "w", 727: "M", 786: "W",
    800: "—", 824: "%", 829: "m", 847: "@", 948: "…",
}
BOLD = {
    200: " ", 255: "|", 262: "iî", 263: "j", 271: "l", 275: "',.:;·’‘", 282: "I", 315: "!", 317: "f", 322: "-",
    324: "()[]{}", 344: "/\\", 348: "°", 361: "t", 372: "²", 373: "r", 431: "s", 438: "*", 443: "z", 444: "?",
    462: "cç", 480: "–", 481: "x", 482: "\"“”", 494: "J", 495: "vy", 500: "_", 501: "Y", 502: "L", 507: "eéèêë",
    510: "F", 513: "#$+0123456789<=>^~±×−", 516: "aãäà", 520: "g", 522: "k", 536: "V", 538: "E", 540: "Z", 541: "X",
    545: "S", 546: "T", 549: "`oöô", 556: "uüû", 558: "Ah", 560: "n", 563: "b", 564: "dpq", 576: "C", 582: "P",
    592: "R", 597: "BK", 625: "D", 628: "G", 639: "&", 655: "U", 657: "N", 663: "H", 674: "OQ", 745: "M", 748: "w",
    800: "W—", 841: "%", 843: "m", 875: "@", 964: "…",
}

WIDTHS = [{letter: width for width, letters in table.items() for letter in letters} for table in (REGULAR, BOLD)]
UNKNOWN = 600        # a letter of another alphabet or a sign: wider than most
RAISED = 0.8         # the size of what follows a ^, as a share of the text's


def text_width(words, size=16, bold=False):
    """The width of a text in pixels; what follows a ``^`` is raised and smaller.

    >>> text_width("0.5"), text_width("W^Q")
    (19.89, 21.08)
    """
    base, _, power = words.partition("^")
    widths = WIDTHS[bold]
    units = sum(widths.get(c, UNKNOWN) for c in base) + RAISED * sum(widths.get(c, UNKNOWN) for c in power)
    return round(units * size / 1000, 2)
