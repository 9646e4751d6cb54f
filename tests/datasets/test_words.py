"""Words: the tokeniser, vocabularies of training rows, packed bags, and changes of the text."""

from pathlib import Path

import numpy as np
import pytest

from trainer.datasets import (
    Desk,
    Vocabulary,
    answers,
    drop_hedge_frames,
    drop_words,
    tokens,
    word_ids,
)
from trainer.datasets.templates import language


def test_humps_dashes_and_device_names_are_split_as_a_reader_would() -> None:
    assert tokens("lossOfSignal IF-DOWN AR017 at 12.4 km") == [
        *("loss", "of", "signal", "if", "down", "ar017", "at", "12", "4", "km")
    ]


def test_a_vocabulary_knows_the_words_of_its_rows_only() -> None:
    vocabulary = Vocabulary.fit(["fan fan stopped", "fan stopped once"])
    assert vocabulary.words == ("<unknown>", "fan", "stopped")
    bags = vocabulary.encode(["fan never stopped", "", "stopped"])
    assert bags.ids.tolist() == [1, 0, 2, 2]
    assert bags.offsets.tolist() == [0, 3, 3]


def test_bags_of_some_rows_are_those_rows_in_that_order(desk: Desk) -> None:
    vocabulary = Vocabulary.fit(desk.texts[:500])
    bags = word_ids(desk, vocabulary)
    rows = np.array([7, 3, 3, 5999, 0])
    direct = vocabulary.encode([desk.texts[row] for row in rows])
    assert np.array_equal(bags.take(rows).ids, direct.ids)
    assert np.array_equal(bags.take(rows).offsets, direct.offsets)


def test_a_dense_bag_marks_each_word_of_a_ticket_once() -> None:
    vocabulary = Vocabulary.fit(["fan stopped"], min_count=1)
    assert vocabulary.encode(["fan fan", "", "x stopped"]).dense(3).tolist() == [
        [0, 1, 0],
        [0, 0, 0],
        [1, 0, 1],
    ]


def test_dropping_words_drops_about_that_share_and_keeps_the_order(desk: Desk) -> None:
    bags = word_ids(desk, Vocabulary.fit(desk.texts[:500]))
    fewer = bags.drop(0.3, np.random.default_rng(0))
    assert len(fewer) == len(bags)
    assert len(fewer.ids) / len(bags.ids) == pytest.approx(0.7, abs=0.01)
    kept = iter(bags.take(np.array([11])).ids.tolist())
    assert all(word in kept for word in fewer.take(np.array([11])).ids.tolist())
    assert bags.drop(0.0, np.random.default_rng(0)).ids.tolist() == bags.ids.tolist()
    text = drop_words("one two three four", 0.5, np.random.default_rng(1))
    assert set(text.split()) < {"one", "two", "three", "four"}


@pytest.mark.parametrize("frame", language().hedges)
def test_every_frame_of_a_hedge_falls_and_its_cue_stays(frame: str) -> None:
    cue = "digger cut the duct"
    sentence = frame.format(cue)
    text = f"AR001 | Monitoring in place. {sentence[0].upper()}{sentence[1:]}. Please check."
    bare = drop_hedge_frames(text)
    assert bare.lower() == f"ar001 | monitoring in place. {cue}. please check."
    assert drop_hedge_frames(bare) == bare


def test_frames_fall_where_the_answers_know_a_hedge_and_nowhere_else(
    folder: Path, desk: Desk
) -> None:
    framed = changed = 0
    for text, row in zip(desk.texts, answers(folder).rows, strict=True):
        is_changed = drop_hedge_frames(text) != text
        assert row["hedge_spans"] or not is_changed
        framed += bool(row["hedge_spans"])
        changed += is_changed
    # A quarter of the hedges are plain negations without a frame.
    assert 0.7 < changed / framed < 0.9
