"""Settings know their bounds and say so."""

from dataclasses import dataclass

import pytest

from trainer.errors import BadSetting
from trainer.setting import SettingInfo, choice, describe, number, parse, toggle


@dataclass(frozen=True, kw_only=True)
class Config:
    width: int = number(64, 8, 512, label="Width", help="Hidden units.", unit="units")
    rate: float = number(1e-3, 1e-5, 1.0, label="Rate", help="Step size.", scale="log")
    split: str = choice("row", {"row": "By row", "device": "By device"}, label="Split", help="How.")
    words: bool = toggle(False, label="Words", help="Read the text as well.")


def test_text_from_a_command_line_becomes_typed_values() -> None:
    config = parse(Config, {"width": "128", "rate": "0.5", "split": "device", "words": "true"})
    assert config == Config(width=128, rate=0.5, split="device", words=True)


def test_both_bounds_are_allowed() -> None:
    assert [parse(Config, {"width": bound}).width for bound in (8, 512)] == [8, 512]


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ({"width": 7}, "width must be a whole number from 8 to 512 units, not 7."),
        ({"width": 8.5}, "width must be a whole number from 8 to 512 units, not 8.5."),
        ({"width": True}, "width must be a whole number from 8 to 512 units, not True."),
        ({"rate": "nan"}, "rate must be a number from 1e-05 to 1, not 'nan'."),
        ({"rate": [1]}, "rate must be a number from 1e-05 to 1, not [1]."),
        ({"split": "week"}, "split must be one of row, device, not 'week'."),
        ({"words": "perhaps"}, "words must be true or false, not 'perhaps'."),
        ({"depth": 3}, "There is no setting 'depth'; there are: width, rate, split, words."),
    ],
)
def test_a_wrong_setting_is_one_clear_sentence(raw: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse(Config, raw)
    assert str(caught.value) == sentence


def test_a_description_survives_json() -> None:
    for info in describe(Config):
        assert SettingInfo.from_dict(info.as_dict()) == info
    assert [info.integer for info in describe(Config)] == [True, False, False, False]
