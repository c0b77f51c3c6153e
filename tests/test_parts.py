"""The parts of the models, whoever sends them: what is wrong is never used, is said, and does not stay."""

import hashlib
import json
import re
import time

import pytest
from conftest import EVERY_LOOK, SITE, node

from website import addresses, book_model, browser

PAGES = {"minilm": "chapters/real_model", "chat": "chapters/chat_model"}
LIES = ["login", "half", "empty", "chunked half", "a letter"]
# Both models come by the same script: all is asked of the small one, and every week of the other, too.
TOLD = [(name, kind) for name in PAGES for kind in LIES if EVERY_LOOK or name == "minilm" or kind == "login"]
LOGIN = b"<!doctype html><title>Welcome to our hotel</title><p>Room number, please."


class Liar(browser.Server):
    """A host that says of some files something else, with 200: `lies`, {the end of a path: a kind}, so often as `times`."""

    lies, times = {}, 9

    def do_GET(self):
        """Lie, or serve the file."""
        part = self.path.partition("_static/")[2]
        kind = self.lies.get(part)
        if not kind or self.asked.setdefault(part, 0) >= self.times:
            return super().do_GET()
        self.asked[part] += 1
        text = (SITE / "_static" / part).read_bytes()
        if kind == "never":
            time.sleep(60)
            return None
        letter = text[5000:5001]
        body = {"login": LOGIN, "half": text[:len(text) // 2], "empty": b"", "chunked half": text[:len(text) // 2],
                "a letter": text[:5000] + (b"B" if letter == b"A" else b"A") + text[5001:]}[kind]
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if kind == "login" else "text/javascript")
        self.send_header("Cache-Control", "max-age=600")
        if kind == "chunked half":      # and then the line is dead
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        return None


def liar(times=9, **lies):
    return type("Lying", (Liar,), {"lies": {name.replace("__", "/") + ".js": kind for name, kind in lies.items()}, "times": times, "asked": {}})


def load(w, name):
    """Press the button, and wait until something has come of it."""
    w.page.locator("[data-ak-once]:visible").first.press("Enter")
    w.page.wait_for_function("name => ['ready', 'failed'].includes(attnkit[name].status.state)", arg=name)
    return w.page.evaluate("name => attnkit[name].status", name)


def test_the_pages_own_digest_is_that_of_the_standard():
    """Where a browser has none for a page over plain http; lengths about the ends of its blocks, and a part."""
    for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 100_001):
        data = bytes(k * k % 251 for k in range(length))
        assert node("run_sha.js", list(data)) == hashlib.sha256(data).hexdigest()


@pytest.mark.browser
@pytest.mark.parametrize("name, kind", TOLD)
def test_a_part_that_is_wrong_is_not_used_and_does_not_stay(watched, name, kind):
    """It is asked for twice, and the reader told; nothing of it is kept, and when the network is well a press is enough."""
    host = liar(**{f"{name}__2": kind})
    with browser.serve(host=host) as site, watched() as w:
        w.open(f"{site}/{PAGES[name]}.html")
        status = load(w, name)
        assert status["state"] == "failed" and host.asked == {f"{name}/2.js": 2}, status
        wanted = "could not be read" if kind in ("empty", "chunked half") else "is wrong, so nothing of it is used"
        assert f"{name}/2.js {wanted}" in status["message"] and w.page.get_by_text(status["message"]).first.is_visible()
        kept = f"caches.open('attention-step-by-step/{name}').then(s => s.keys()).then(all => all.map(one => one.url))"
        assert [url.rsplit("/", 1)[1] for url in w.page.evaluate(kept)] == ["0.js", "1.js"]
        if (name, kind) == TOLD[0]:
            host.lies = {}
            assert load(w, name)["state"] == "ready"


@pytest.mark.browser
def test_once_wrong_is_said_and_mended(watched):
    with browser.serve(host=liar(times=1, minilm__2="login", minilm__about="half")) as site, watched() as w:
        w.open(f"{site}/{PAGES['minilm']}.html")
        assert load(w, "minilm")["state"] == "ready"
        assert w.page.evaluate("attnkit.minilm.status.message") == "A part of the model arrived wrong, and is fetched once more."
        # What was kept and is spoilt by now is fetched again, and the page opened anew does not ask for the rest.
        w.page.evaluate("""async () => { const store = await caches.open('attention-step-by-step/minilm'), [one] = await store.keys();
            await store.put(one, new Response(new Uint8Array(1500000))); }""")
        w.forget()
        w.open(f"{site}/{PAGES['minilm']}.html")
        assert load(w, "minilm")["state"] == "ready"
        assert [url.rsplit("/", 1)[1] for url in w.requests if re.search(r"minilm/\d", url)] == ["0.js"]


@pytest.mark.browser
def test_who_never_answers_is_given_up_after_ten_seconds(watched):
    with browser.serve(host=liar(minilm__2="never")) as site, watched() as w:
        w.page.clock.install()
        w.open(f"{site}/{PAGES['minilm']}.html")
        w.page.locator("[data-ak-once]:visible").first.press("Enter")
        w.page.wait_for_function("attnkit.minilm.status.part === 2")
        for asked in (1, 2):
            until(w, lambda: w.requests.count(f"{site}/_static/minilm/2.js") == asked)      # noqa: B023 asked at once
            w.page.clock.fast_forward(9_000)
            assert w.page.evaluate("attnkit.minilm.status.state") == "loading"
            w.page.clock.fast_forward(2_000)
        w.page.wait_for_function("attnkit.minilm.status.state === 'failed'")
        assert "minilm/2.js could not be read" in w.page.evaluate("attnkit.minilm.status.message")


def until(w, holds):
    while not holds():
        w.page.wait_for_timeout(20)


@pytest.mark.browser
@pytest.mark.parametrize("broken, how", [
    ("CacheStorage.prototype.open", "never answers"), ("Cache.prototype.match", "rejects"), ("Cache.prototype.put", "never answers")])
def test_a_store_that_fails_costs_nothing_but_the_keeping(watched, broken, how):
    with browser.serve() as site, watched() as w:
        w.page.add_init_script(f"{broken} = () => " + ("Promise.reject(new Error('no'))" if how == "rejects" else "new Promise(() => {})"))
        w.page.clock.install()
        w.open(f"{site}/{PAGES['minilm']}.html")
        w.page.locator("[data-ak-once]:visible").first.press("Enter")
        if how == "never answers":
            w.page.wait_for_function("attnkit.minilm.status.state === 'loading'")
            until(w, lambda: not w.page.clock.fast_forward(2_000) and w.page.evaluate("attnkit.minilm.status.part > 1"))
        w.page.wait_for_function("attnkit.minilm.status.state === 'ready'")
        assert w.page.evaluate("attnkit.minilm.status.message") == "This browser does not keep the model: it will be fetched again the next time."


# ---- another host for them

@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES if EVERY_LOOK else ["minilm"])
def test_another_host_may_have_the_parts(watched, name):
    """The page asks it for them and for nothing else, where the policy names it; what it sends is checked as well."""
    class Elsewhere(browser.Server):
        def end_headers(self):
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

    class Here(browser.Server):
        def do_GET(self):
            if not self.path.endswith((f"{name}/about.js", f"{PAGES[name]}.html")):
                return super().do_GET()
            body = (SITE / self.path[1:]).read_bytes().replace(b'"host": ""', f'"host": "{elsewhere}/"'.encode())
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(self.path))
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body)
            return None

    with browser.serve(folder=SITE / "_static", host=Elsewhere) as elsewhere, browser.serve(host=Here) as site, watched(bypass_csp=False) as w:
        policy = browser.POLICY.replace("connect-src 'self'", f"connect-src 'self' {elsewhere}/").replace("script-src 'self'", "script-src 'self' 'unsafe-eval'")
        w.open(f"{site}/{PAGES[name]}.html")
        status = load(w, name)
        assert status["state"] == "ready", (status, w.errors)
        parts = [url for url in w.requests if re.search(rf"/{name}/\d+\.js", url)]
        assert parts and all(url.startswith(elsewhere) for url in parts)


def test_parts_for_another_host_lie_apart(tmp_path, monkeypatch):
    folder, data = tmp_path / "_static/small", bytes(range(256)) * 20
    monkeypatch.setattr(book_model, "ROOT", tmp_path)
    monkeypatch.setattr(book_model, "EACH", 2000)
    monkeypatch.setenv("BOOK_MODELS", "https://models.example/book")
    book_model.write_parts(folder, data, "free")
    about = json.loads(re.fullmatch(r'attnkit\.arrive\("small/about", (.*)\);\n', (folder / "about.js").read_text())[1])
    assert about["host"] == "https://models.example/book/" and len(about["digests"]) == 3
    assert {file.name for file in folder.iterdir()} == {"about.js", "LICENSE.txt"} and book_model.stands(folder)
    assert {file.name for file in (tmp_path / "_build/models/small").iterdir()} == {"0.js", "1.js", "2.js", "LICENSE.txt"}
    monkeypatch.delenv("BOOK_MODELS")
    assert not book_model.stands(folder)
    monkeypatch.setenv("BOOK_MODELS", "models")
    with pytest.raises(ValueError, match="it is to be the address of the folder"):
        addresses.models()
