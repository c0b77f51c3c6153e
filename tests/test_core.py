"""What all figures share, where several stand on one page: live, as a notebook loads them, and on a page without a kernel."""

import json

import pytest
from conftest import node
from random_models import random_storyteller

from bookkit.figures import Alignment, StoryWriter, base

WEIGHTS = [[0.2, 0.8], [0.6, 0.4]]


def alignments():
    return [Alignment(WEIGHTS, ["je", "tu"], ["I", "you"], selected=k % 2) for k in range(3)]


def writers():
    return [StoryWriter(random_storyteller(0), "Zoe met") for _ in range(3)]


def page_of(tmp_path, body):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html lang=en data-theme=light><meta charset=utf-8><title>t</title><style>{base.core_stylesheet()}</style><body>{body}</html>", encoding="utf-8")
    return page.as_uri()


LIVE = """async figures => {
    window.watching = 0;
    const {observe, disconnect} = MutationObserver.prototype;
    MutationObserver.prototype.observe = function (...given) { if (!this.on) { this.on = true; watching += 1; } return observe.apply(this, given); };
    MutationObserver.prototype.disconnect = function () { if (this.on) { this.on = false; watching -= 1; } return disconnect.apply(this); };
    window.leave = [];
    const listeners = () => { const all = {}; return {on: (e, f) => { (all[e] ??= []).push(f); }, off: (e, f) => { all[e] = all[e].filter(g => g !== f); }}; };
    for (const [esm, state] of figures) {        // as anywidget does: a module of its own for each
        const module = await import(URL.createObjectURL(new Blob([esm], {type: 'text/javascript'})));
        const el = document.body.appendChild(document.createElement('div'));
        leave.push(module.default.render({el, model: {get: name => state[name], set: (name, v) => { state[name] = v; }, save_changes() {}, ...listeners()}}));
    } }"""


def live(w, tmp_path, widgets):
    """Show figures as a notebook does, each from a module of its own."""
    w.page.goto(page_of(tmp_path, "".join(f"<style>{base.stylesheet(kind)}</style>" for kind in {widget.kind for widget in widgets})))
    w.page.evaluate(LIVE, [[widget._esm, widget.state()] for widget in widgets])
    return w.page.locator(".ak-figure")


@pytest.mark.browser
def test_three_figures_of_a_kind_follow_a_change_of_theme(watched, tmp_path):
    fills = "f => [...f.querySelectorAll('*')].map(e => e.style.backgroundSize && getComputedStyle(e).backgroundImage).filter(Boolean)"
    with watched() as w:
        found = live(w, tmp_path, alignments())
        assert found.count() == 3
        before = [figure.evaluate(fills) for figure in found.all()]
        w.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        w.page.evaluate("() => new Promise(requestAnimationFrame)")
        after = [figure.evaluate(fills) for figure in found.all()]
        assert all(a and len(a) == len(b) and not set(a) & set(b) for a, b in zip(before, after)), (before, after)
        w.page.evaluate("document.documentElement.dataset.theme = 'light'")
        w.page.evaluate("() => new Promise(requestAnimationFrame)")
        assert [figure.evaluate(fills) for figure in found.all()] == before and not w.errors


@pytest.mark.browser
def test_one_core_and_one_observer_as_long_as_there_are_figures(watched, tmp_path):
    with watched() as w:
        live(w, tmp_path, alignments())
        assert w.page.evaluate("watching") == 1
        assert w.page.evaluate("() => { const core = attnkit; leave[0](); leave[1](); return [core === attnkit, watching]; }") == [True, 1]
        assert w.page.evaluate("() => { leave[2](); return watching; }") == 0 and not w.errors


@pytest.mark.browser
def test_names_of_elements_are_those_of_one_figure(watched, tmp_path):
    with watched() as w:
        found = live(w, tmp_path, writers())
        assert found.count() == 3
        names = w.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(names) == len(set(names)) >= 3
        pointed = w.page.evaluate("[...document.querySelectorAll('[aria-describedby], [aria-controls], [list]')].map(e => [e.closest('.ak-figure'), document.getElementById(e.getAttribute('aria-describedby') ?? e.getAttribute('aria-controls') ?? e.getAttribute('list'))]).every(([f, e]) => f.contains(e))")
        assert pointed and not w.errors


@pytest.mark.browser
@pytest.mark.parametrize("broken, words", [
    (lambda state: "{", "This figure cannot come to life: "),
    (lambda state: json.dumps({**state, "packed": {**state["packed"], "version": 1}}), "a packed model must have version 2, got 1."),
    (lambda state: json.dumps({**state, "packed": {**state["packed"], "tensors": {}}}), "the packed model lacks the tensor embedding."),
    (lambda state: json.dumps({**state, "defaults": None}), "This figure cannot come to life: ")])
def test_a_figure_with_a_bad_state_leaves_the_others_alive(watched, tmp_path, broken, words):
    """On a page without a kernel, and live: a plain message in its place, beside its still picture where there is one."""
    with watched() as w:
        first, second, third = writers()
        text = broken(second.state())
        scripts = "".join(map(base.script, ["core", "page", *base.scripts("story_writer")]))
        body = [widget.html() for widget in (first, second, third)]
        body[1] = body[1].replace(" data-ak-state=", " data-was=").replace("<div ", "<div id=bad ", 1)
        w.page.goto(page_of(tmp_path, "".join(body) + f"<script>{scripts}bad.dataset.akState = {json.dumps(text)}; attnkit.mount(document)</script>"))
        w.page.wait_for_function("document.querySelectorAll('.ak-figure').length + document.querySelectorAll('.ak-failed').length === 3")
        assert w.page.locator(".ak-figure").count() == 2 and words in w.page.locator("#bad .ak-failed").inner_text()
        assert w.page.locator("#bad table").count() == 2, "the still picture stays, with its numbers"
        for figure in w.page.locator(".ak-figure").all():
            before = figure.locator(".ak-token").all_inner_texts()
            figure.get_by_role("button", name="Step", exact=True).click()
            assert len(figure.locator(".ak-token:not(:empty)").all_inner_texts()) > len([word for word in before if word])
        assert not w.errors
    if text != "{":
        with watched() as w:
            w.page.goto(page_of(tmp_path, ""))
            w.page.evaluate(LIVE, [[first._esm, first.state()], [second._esm, json.loads(text)], [third._esm, third.state()]])
            assert w.page.locator(".ak-figure").count() == 2 and words in w.page.locator(".ak-failed").inner_text()


def test_where_no_score_is_finite_all_weights_are_nought():
    """As in Python: there is nothing to attend to."""
    none = None         # JSON has no infinity
    assert node("run_figures.js", {"softmax": [[none, none], [0, none], [1, 1]]}) == [[0, 0], [1, 0], [0.5, 0.5]]
