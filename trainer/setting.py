"""Typed settings of a lab: bounds, unit and help stand beside the default, once for everybody."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar

from trainer.errors import BadSetting

C = TypeVar("C")
Kind = Literal["number", "choice", "toggle"]
_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


@dataclass(frozen=True, kw_only=True)
class SettingInfo:
    """What a page or the command line must know of one setting; survives a trip through JSON."""

    name: str
    kind: Kind
    default: Any
    label: str
    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    integer: bool = False
    scale: Literal["linear", "log"] = "linear"
    options: dict[str, str] = field(default_factory=dict)
    advanced: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from what `as_dict` gave."""
        return cls(**values)

    def check(self, raw: object) -> Any:
        """Return `raw` in the setting's own type.

        Raises:
            BadSetting: with one sentence that names the setting, its bounds and its unit.
        """
        convert = {"number": self._number, "choice": self._choice, "toggle": self._toggle}
        return convert[self.kind](raw)

    def _number(self, raw: object) -> int | float:
        assert self.low is not None
        assert self.high is not None
        value = _as_float(raw)
        whole = value is not None and (not self.integer or value == int(value))
        if value is None or not whole or not self.low <= value <= self.high:
            kind = "a whole number" if self.integer else "a number"
            unit = f" {self.unit}" if self.unit else ""
            raise BadSetting(
                f"{self.name} must be {kind} from {self.low:g} to {self.high:g}{unit}, not {raw!r}."
            )
        return int(value) if self.integer else value

    def _choice(self, raw: object) -> str:
        if not isinstance(raw, str) or raw not in self.options:
            raise BadSetting(f"{self.name} must be one of {', '.join(self.options)}, not {raw!r}.")
        return raw

    def _toggle(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        word = str(raw).lower()
        if word not in _TRUE | _FALSE:
            raise BadSetting(f"{self.name} must be true or false, not {raw!r}.")
        return word in _TRUE


def number(
    default: float,
    low: float,
    high: float,
    *,
    label: str,
    help: str,
    unit: str = "",
    step: float | None = None,
    scale: Literal["linear", "log"] = "linear",
    advanced: bool = False,
) -> Any:
    """Declare a number between `low` and `high`, both included; whole if its default is an int."""
    integer = isinstance(default, int)
    bounds = {"low": low, "high": high, "step": step or (1 if integer else None), "scale": scale}
    words = {"label": label, "help": help, "unit": unit, "advanced": advanced}
    return field(
        default=default, metadata={"kind": "number", "integer": integer, **bounds, **words}
    )


def choice(
    default: str,
    options: dict[str, str],
    *,
    label: str,
    help: str,
    advanced: bool = False,
) -> Any:
    """Declare one of `options`, a mapping from stored value to shown label."""
    words = {"label": label, "help": help, "advanced": advanced}
    return field(default=default, metadata={"kind": "choice", "options": options, **words})


def toggle(default: bool, *, label: str, help: str, advanced: bool = False) -> Any:
    """Declare a switch."""
    words = {"label": label, "help": help, "advanced": advanced}
    return field(default=default, metadata={"kind": "toggle", **words})


def describe(config_class: type) -> list[SettingInfo]:
    """Return the settings of a `Config` in the order of their declaration."""
    return [
        SettingInfo(name=entry.name, default=entry.default, **entry.metadata)
        for entry in dataclasses.fields(config_class)
    ]


def parse(config_class: type[C], raw: Mapping[str, object]) -> C:
    """Return a checked `Config` made from `raw` (values may be text from a command line).

    Raises:
        BadSetting: for an unknown name, a wrong type or a value out of bounds.
    """
    known = {info.name: info for info in describe(config_class)}
    for name in raw:
        if name not in known:
            raise BadSetting(f"There is no setting {name!r}; there are: {', '.join(known)}.")
    return config_class(**{name: known[name].check(value) for name, value in raw.items()})


def _as_float(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        return None
    try:
        value = float(raw)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
