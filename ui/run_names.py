"""What sets runs apart, as names: the settings that are not the usual ones, or not the same."""

from typing import Any

from trainer.catalogue import Catalogue
from trainer.errors import BadSetting
from trainer.setting import SettingInfo
from trainer.tracking import Row
from ui import words


def names(rows: list[Row], catalogue: Catalogue | None) -> list[str]:
    """Return for each run what sets it apart: the settings that are not the usual ones.

    Without a catalogue nobody knows the usual ones: then what differs between the runs is named.
    """
    return [_name(row, catalogue, rows) for row in rows]


def differences(rows: list[Row], catalogue: Catalogue | None) -> list[str]:
    """Return for each run only what sets it apart from the others; its start where nothing does."""
    told = [_told(row, _varying(rows), catalogue) for row in rows]
    return [
        f"{name}, {_start(row)}".lstrip(", ") if told.count(name) > 1 or not name else name
        for name, row in zip(told, rows, strict=True)
    ]


def setting(info: SettingInfo, row: Row) -> Any:
    """Return a run's value of one setting in its own type; the default where it was not set."""
    raw = row.chosen.get(info.name)
    try:
        return info.default if raw is None else info.check(raw)
    except BadSetting:  # of an earlier version of the lab
        return raw


def _name(row: Row, catalogue: Catalogue | None, peers: list[Row]) -> str:
    infos = _infos(row, catalogue)
    if infos:
        changed = {info.name for info in infos if setting(info, row) != info.default}
    else:
        changed = _varying([peer for peer in peers if peer.lab == row.lab])
    return _told(row, changed, catalogue) or "Usual settings"


def _varying(rows: list[Row]) -> set[str]:
    every = {name for row in rows for name in row.chosen}
    return {name for name in every if len({row.chosen.get(name) for row in rows}) > 1}


def _told(row: Row, which: set[str], catalogue: Catalogue | None) -> str:
    infos = {info.name: info for info in _infos(row, catalogue)}
    told = []
    for key in sorted(which, key=lambda key: (list(infos).index(key) if key in infos else 99, key)):
        info = infos.get(key)
        if info:
            told.append(f"{info.label} {words.setting(info, setting(info, row))}")
        elif key in row.chosen:
            told.append(f"{key.replace('_', ' ')} {row.chosen[key]}")
    return ", ".join(told)


def _start(row: Row) -> str:
    return f"{row.id[9:11]}:{row.id[11:13]}:{row.id[13:15]}"


def _infos(row: Row, catalogue: Catalogue | None) -> tuple[SettingInfo, ...]:
    info = catalogue.lab(row.lab) if catalogue else None
    return info.settings if info else ()
