"""The templates keep their schema, and a template that breaks it is refused by name."""

from dataclasses import replace
from typing import Any

import pytest

from trainer.datasets.templates import Cause, Concept, alarm_names, causes, check, language


def test_the_shipped_templates_pass_and_hold_ten_causes() -> None:
    assert len(check(list(causes()))) == 10


@pytest.mark.parametrize("cause", causes(), ids=lambda cause: cause.name)
def test_a_cause_has_concepts_that_speak_early_and_late(cause: Cause) -> None:
    assert len(cause.concepts) >= 4
    for concept in cause.concepts:
        assert any(late for _, late in concept.slots)
        assert all(early for early, _ in concept.slots)
    assert sum(concept.surface_forms for concept in cause.concepts) >= 100


def test_no_cue_word_stands_in_one_surface_form_only() -> None:
    for cause in causes():
        for concept in cause.concepts:
            for slot, (early, late) in enumerate(concept.slots):
                others = replace(concept, slots=concept.slots[:slot] + concept.slots[slot + 1 :])
                assert others.surface_forms >= 2, (cause.name, early, late)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"concepts": ()}, "at least 4 concepts"),
        ({"season": (1.0,)}, "season factor a month"),
        ({"alarms": {"linkDown": 1.2}}, "probabilities"),
        ({"confusable": ("power_fault",)}, "confusable"),
        ({"negations": ()}, "negations"),
        ({"concepts": (Concept.parse("{a|b|c} {d|e|f}"),) * 4}, "late wording"),
        ({"concepts": (Concept.parse("{a|b|c|d|e|f|g//h|i} x"),) * 4}, "two slots"),
        ({"concepts": (Concept.parse("{a|b} {c//d}"),) * 4}, "surface forms"),
    ],
)
def test_a_broken_cause_is_refused_by_name_and_rule(change: dict[str, Any], rule: str) -> None:
    broken = [replace(causes()[0], **change), *causes()[1:]]
    with pytest.raises(ValueError, match=rf"power_fault.*{rule}"):
        check(broken)


def test_priors_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        check([replace(causes()[0], prior=0.5), *causes()[1:]])


def test_every_frame_has_one_place_for_its_cue() -> None:
    words = language()
    assert all(text.count("{}") == 1 for text in words.hedges + words.confirmations)


def test_new_names_and_consequences_are_alarms_that_exist() -> None:
    assert set(language().new_names) <= set(alarm_names())
    assert set(language().consequences) <= set(alarm_names())
