"""A bar that shows how far a training is, to a person only."""

import nbformat
import pytest
from conftest import PATIENCE
from nbclient import NotebookClient


@pytest.mark.parametrize("environment, watched", [({}, True), ({"PYTEST_VERSION": "9"}, False)])
def test_progress_bar_shows_for_a_person_only(environment, watched, monkeypatch):
    """In a kernel that a person has started a bar is shown and taken away; under nbval and make nothing is ever written."""
    for name in ("PYTEST_VERSION", "PYTEST_CURRENT_TEST", "ATTNKIT_PROGRESS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    cell = nbformat.v4.new_code_cell("import bookkit.lessons.progress, time\n" "bookkit.lessons.progress.EVERY = 0\n" "for _ in bookkit.lessons.progress.progress_bar(3): time.sleep(.01)")
    seen = []
    client = NotebookClient(nbformat.v4.new_notebook(cells=[cell]), kernel_name="python3", startup_timeout=PATIENCE,
                            extra_arguments=["--IPKernelApp.log_level=ERROR"])
    send = client.process_message
    monkeypatch.setattr(client, "process_message", lambda message, *rest: (seen.append(str(message["content"])), send(message, *rest))[1])
    client.execute()
    assert any("step 3 of 3" in message for message in seen) == watched
    assert [output.get("data", {}).get("text/html") for output in cell.outputs] == ([""] if watched else [])
