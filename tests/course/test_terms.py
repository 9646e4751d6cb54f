"""The words of the glossary are found where they stand, and only there."""

import pytest

from course.load import load
from course.model import Term
from course.terms import find, terms_in, uses

COURSE = load()


def term(name: str, *also: str) -> Term:
    return Term(id="x", term=name, definition="X.", also=also)


@pytest.mark.parametrize(
    ("name", "prose"),
    [
        ("batch", "Two batches wait."),
        ("GPU", "A gpu starts."),
        ("fine-tuning", "A team that fine-tunes a model."),
        ("run", "Each run ends."),
    ],
)
def test_a_term_is_found_under_its_plural_and_its_other_names(name: str, prose: str) -> None:
    assert find(term(name, "fine-tunes"), prose)


@pytest.mark.parametrize(
    ("name", "prose"), [("run", "Run:ai adds quotas."), ("arm", "An alarm."), ("rank", "Frankly.")]
)
def test_a_term_is_not_found_inside_another_word(name: str, prose: str) -> None:
    assert find(term(name), prose) is None


def test_an_exact_term_is_found_in_its_own_spelling_alone() -> None:
    sharp = Term(id="x", term="SHARP", definition="X.", exact=True)
    assert find(sharp, "With SHARP a switch adds up.")
    assert find(sharp, "A sharp turn.") is None


def test_code_addresses_and_inserts_are_not_read() -> None:
    text = "`batch` [a page](https://http.example) {{ figure latency }}\n```\nepoch = 1\n```\n"
    assert terms_in(COURSE, text) == ()


def test_terms_stand_in_the_order_of_their_first_place() -> None:
    found = terms_in(COURSE, "An epoch has many steps, and a step reads one batch.")
    assert [each.id for each in found] == ["epoch", "step", "batch"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("By the chain rule.", ["chain_rule"]),
        ("The chain rule of a chain.", ["chain_rule", "chain"]),
        ("Run:ai and the GPU Operator.", ["runai", "gpu_operator"]),
        ("Out-of-band management.", ["out_of_band"]),
    ],
)
def test_a_longer_name_takes_its_words_along(text: str, ids: list[str]) -> None:
    assert [each.id for each in terms_in(COURSE, text)] == ids


def test_every_use_is_a_lesson_that_holds_the_word() -> None:
    for term_id, pages in uses(COURSE).items():
        assert all(find(COURSE.terms[term_id], page.title + page.body) for page in pages)


def test_most_terms_stand_in_a_text_or_question_and_the_others_on_pages_or_in_settings() -> None:
    texts = [*COURSE.bank.questions.values(), *COURSE.guides.values()]
    read = " ".join(each.model_dump_json() for each in texts)
    unused = {
        term_id
        for term_id, pages in uses(COURSE).items()
        if not pages and not find(COURSE.terms[term_id], read)
    }
    assert len(unused) <= len(COURSE.terms) / 10, sorted(unused)
