"""Finds the labs by their files; nothing is registered by hand."""

import importlib
import pkgutil
import sys
import traceback
from types import ModuleType

import labs
from trainer.errors import BadSetting

_NO_LABS = {
    "__main__",
    "registry",
    "commands",
    "following",
    "recording",
    "legs",
    "ninety",
    "own_data",
    "progress",
    "registering",
}


def ids() -> list[str]:
    """Return the ids of all labs: the names of their files."""
    names = (entry.name for entry in pkgutil.iter_modules(labs.__path__))
    return sorted(name for name in names if name not in _NO_LABS)


def find(lab_id: str) -> ModuleType:
    """Return the lab's module.

    Raises:
        BadSetting: if there is no such lab.
    """
    if lab_id not in ids():
        raise BadSetting(f"There is no lab {lab_id!r}; there are: {', '.join(ids())}.")
    return importlib.import_module(f"labs.{lab_id}")


def all_labs() -> dict[str, ModuleType]:
    """Return every lab by id; one that cannot be imported is told of and costs no other."""
    found = {}
    for lab_id in ids():
        try:
            found[lab_id] = find(lab_id)
        except Exception:
            print(f"labs: {lab_id} cannot be imported and is left out.", file=sys.stderr)
            traceback.print_exc()
    return found
