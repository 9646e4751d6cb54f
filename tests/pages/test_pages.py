"""Every page draws, whatever lies in the runs folder; what a visitor reads is true."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import folders

# MLflow's import brings urllib3, which warns where the environment names a SOCKS proxy.
pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "home",
    "way",
    "data",
    "training",
    "networking",
    "software",
    "operations",
    "serving",
    "runs",
    "glossary",
    "objectives",
]
STATES = ["queue", "running", "paused", "stopped", "killed", "finished"]


def draw(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "ui" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page != "home":
        app.switch_page(f"../pages/{page}.py").run()
    assert not app.exception, app.exception[0].value
    return app


def words(app: AppTest) -> str:
    drawn = [str(element.value) for element in [*app.title, *app.markdown, *app.warning]]
    components = app.get("bidi_component")  # what our own components are given to say
    return "\n".join([*drawn, *(component.proto.json for component in components)])


@pytest.mark.parametrize("page", PAGES)
def test_every_page_draws_in_an_empty_runs_folder(runs: Path, page: str) -> None:
    assert draw(page).main


@pytest.mark.parametrize("page", PAGES)
def test_every_page_draws_among_foreign_files(runs: Path, page: str) -> None:
    (runs / "notes.txt").write_text("not ours")
    (runs / "20261130-101512-four_brakes-3f2a").mkdir()
    (runs / "20261130-101512-four_brakes-3f2b").write_text("a file with a run's name")
    (runs / "data" / "junk").mkdir(parents=True)
    (runs / "data" / "junk" / "card.json").write_text("{")
    draw(page)


@pytest.mark.parametrize("state", STATES)
def test_the_lab_draws_in_every_state_of_a_run(runs: Path, state: str) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, state)
    app = draw("training", lab="four_brakes", run=run.id)
    said = {"finished": "What came of it", "killed": "What happened"}.get(state, "You said")
    assert said in words(app)


def test_until_the_catalogue_exists_the_lab_says_that_it_is_getting_ready(runs: Path) -> None:
    app = draw("training", lab="four_brakes")
    assert "Getting ready" in words(app)
    assert button(app, "Train").disabled


def test_a_stage_without_a_lab_shows_its_lesson_and_no_lab(runs: Path) -> None:
    folders.write_catalogue(runs)
    app = draw("serving")
    assert app.title
    assert not [each for each in app.button if "Train" in each.label]


def test_a_lab_that_the_catalogue_does_not_know_is_not_shown(runs: Path) -> None:
    from trainer import catalogue

    catalogue.write(runs, folders.infos()[:1])
    assert "far fewer than it has weights" not in words(draw("training"))


@pytest.mark.parametrize("run", ["20261130-101512-four_brakes-3f2a", "../../etc/passwd", "x"])
def test_an_unknown_run_is_a_sentence(runs: Path, run: str) -> None:
    folders.write_catalogue(runs)
    app = draw("training", lab="four_brakes", run=run)
    assert "There is no run of that name here" in app.warning[0].value
    assert button(app, "Plant the flag")


def test_a_run_of_another_stage_is_offered_there(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished", lab="split_trap")
    app = draw("training", run=run.id)
    assert any("Split trap" in link.proto.label for link in app.get("page_link"))


def test_the_web_server_imports_no_torch_and_no_lab(runs: Path) -> None:
    folders.write_catalogue(runs)
    folders.write_run(runs, "finished")
    code = (
        "import sys; from tests.pages.test_pages import PAGES, draw\n"
        "for page in PAGES: draw(page)\n"
        "found = [m for m in sys.modules if m.split('.')[0] in ('torch', 'labs')]\n"
        "assert not found, found"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_home_says_of_a_run_in_line_only_that_it_waits(runs: Path) -> None:
    folders.write_catalogue(runs)
    folders.write_run(runs, "queue")
    text = words(draw("home"))
    assert "Four brakes**: waiting in line." in text


def test_the_history_says_a_flag_as_a_place(runs: Path) -> None:
    folders.write_catalogue(runs)
    folders.write_run(runs, "finished")
    (table,) = draw("runs").dataframe
    assert table.value["You said"][0] == "epoch 30; dropout"
    assert table.value["It was"][0] == "epoch 12; dropout"


def test_a_long_name_on_a_pill_is_cut_and_filters_whole(runs: Path) -> None:
    folders.write_catalogue(runs)
    for learner in ("a" * 40, "b" * 39 + "1", "b" * 39 + "2", "ada"):
        folders.write_run(runs, "finished", learner=learner)
    app = draw("runs", learner="ada")
    pills = next(each for each in app.get("button_group") if each.label == "Learner")
    cut = "a" * 29 + "\N{HORIZONTAL ELLIPSIS}"
    assert set(pills.options) == {cut, "b" * 39 + "1", "b" * 39 + "2", "ada", "Everyone"}
    pills.set_value("a" * 40).run()
    (table,) = app.dataframe
    assert len(table.value) == 1


def button(app: AppTest, label: str) -> object:
    found = [each for each in app.button if label in each.label]
    assert found, f"no button {label!r} among {[each.label for each in app.button]}"
    return found[0]
