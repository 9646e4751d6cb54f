"""A tour is its journal: what stands there is what everybody sees, also after a kill."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.trainer.engine import wait
from trainer import tour
from trainer.errors import BadState, UnknownRun
from trainer.process import identity
from trainer.tour import LEGS


def test_a_new_tour_waits_with_every_leg(tmp_path: Path) -> None:
    told = tour.begin(tmp_path, "ada")
    assert told.learner == "ada"
    assert [leg.state for leg in told.legs] == ["waiting"] * len(LEGS)
    assert told.is_moving, "its leader may still be loading"
    assert not told.is_done
    assert tour.find(tmp_path, told.id) == told


def test_one_learner_has_one_tour_at_a_time(tmp_path: Path) -> None:
    tour.begin(tmp_path, "ada").lead()
    with pytest.raises(BadState, match="on its way"):
        tour.begin(tmp_path, "ada")
    assert tour.begin(tmp_path, "ben").learner == "ben"


def test_what_the_leader_says_is_what_is_read(tmp_path: Path) -> None:
    told = tour.begin(tmp_path, "local")
    told.lead()
    told.say(replace(LEGS[0], state="done", figure="2,000 tickets"))
    told.say(replace(LEGS[1], state="running"))
    with told.path.open("ab") as journal:
        journal.write(b'{"t": 1, "kind": "leg", "le')  # a leader that died in mid-word
    assert [leg.state for leg in told.legs][:3] == ["done", "running", "waiting"]
    assert told.legs[0].figure == "2,000 tickets"
    assert not told.is_done


def test_a_killed_leader_leaves_a_failed_leg_and_a_reason(tmp_path: Path) -> None:
    told = tour.begin(tmp_path, "local")
    leader = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity(leader.pid).write(told.leader_file)
    told.say(replace(LEGS[0], state="running"))
    assert told.is_moving
    leader.send_signal(signal.SIGKILL)
    leader.communicate()
    wait(lambda: not told.is_moving, "the death is seen")
    assert told.legs[0].state == "failed"
    assert "start again" in told.legs[0].text
    tour.begin(tmp_path, "local")


def test_leaders_end_with_the_app(tmp_path: Path) -> None:
    told = tour.begin(tmp_path, "local")
    leader = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity(leader.pid).write(told.leader_file)
    tour.end_leaders(tmp_path)
    assert leader.wait(timeout=20) == -signal.SIGTERM
    leader.communicate()


@pytest.mark.parametrize("name", ["../runs", "", "20261130-101512-zzzz", "20261130-101512-3f2a"])
def test_what_is_no_tour_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownRun):
        tour.find(tmp_path, name)
