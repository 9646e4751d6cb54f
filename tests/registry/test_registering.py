"""`labs promote` and `labs champion` as scripts use them."""

import json
from typing import Any

import pytest

from labs import commands
from tests.registry.conftest import Shop


def say(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = commands.main([*words])
    out, errors = capsys.readouterr()
    return code, out, errors


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, errors = say(capsys, *words, "--json")
    assert code == 0, errors
    return json.loads(out)


def test_promote_and_champion_tell_a_version(shop: Shop, capsys: Any) -> None:
    assert told(capsys, "champion") is None
    first, second = shop.finished(1), shop.finished(2)
    made = told(capsys, "promote", first.id)
    assert (made["model"], made["version"], made["champion"]) == ("alarm-desk.local", 1, True)
    assert (made["run"], made["metrics"]) == (first.id, {"test/accuracy": 0.625})
    assert told(capsys, "promote", second.id)["version"] == 2
    assert told(capsys, "champion")["version"] == 2
    assert told(capsys, "champion", "1")["champion"] is True
    assert told(capsys, "champion")["run"] == first.id
    code, out, _ = say(capsys, "champion")
    assert code == 0
    assert out.startswith("alarm-desk.local version 1 (champion)")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("promote", "../etc"), "There is no run '../etc' here."),
        (("champion", "7"), "has no version 7"),
        (("champion", "1", "--learner", "../ada"), "learner must be"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    shop: Shop, capsys: Any, words: tuple[str, ...], sentence: str
) -> None:
    code, out, errors = say(capsys, *words)
    assert (code, out) == (2, "")
    assert sentence in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_run_is_registered_for_its_own_learner_only(shop: Shop, capsys: Any) -> None:
    run = shop.finished(1, learner="ada")
    assert say(capsys, "promote", run.id, "--learner", "zoe")[0] == 2
    assert told(capsys, "promote", run.id)["model"] == "alarm-desk.ada"
