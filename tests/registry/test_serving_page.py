"""The page, a real version and the real endpoint: the form and the `curl` line say the same."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.history.waiting import until
from tests.pages import folders
from tests.pages.test_pages import button, draw, words
from tests.registry.conftest import Shop
from trainer import registry
from trainer.serve import client

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")


def until_ready(app: AppTest) -> None:
    until(lambda: "**Ready.**" in words(app.run()), "the endpoint answers", 100)


def in_a_shell(line: str) -> Any:
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_form_answers_and_the_line_in_a_shell_gives_the_same_answer(shop: Shop) -> None:
    folders.write_catalogue(shop.runs)
    made = registry.promote(shop.runs, shop.finished().id)
    app = draw("serving")
    until_ready(app)
    assert app.text_area[0].value == made.card["ticket"]["text"]
    nasty = 'It\'s "down": $HOME `id` \\ !! 100 % \N{GREEK SMALL LETTER MU}\n<b>linkDown</b>'
    app.text_area[0].set_value(nasty)
    button(app, "Ask the champion").click().run()
    (line,) = [each.value for each in app.code if each.value.startswith("curl")]
    told = in_a_shell(line)
    assert told["model_version"] == "1"
    outputs = {one["name"]: one["data"] for one in told["outputs"]}
    cause = outputs["cause"][0]
    assert f"### {cause.replace('_', ' ').capitalize()}" in words(app)
    found = client.running(shop.runs)
    assert found is not None
    same = client.ask(found, "local", nasty, made.card["ticket"]["alarms"])
    assert (same.cause, list(same.scores)) == (cause, pytest.approx(outputs["scores"]))


def test_the_page_loads_no_engine(shop: Shop) -> None:
    folders.write_catalogue(shop.runs)
    registry.promote(shop.runs, shop.finished().id)
    code = (
        "import sys; from tests.pages.test_pages import draw\n"
        "draw('serving'); draw('serving')\n"
        "heavy = {'torch', 'onnx', 'onnxruntime', 'labs'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )

    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
