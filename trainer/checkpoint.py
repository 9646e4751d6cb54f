"""Checkpoints: tensors in safetensors, the rest in JSON; two are kept, nothing is unpickled."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from trainer import events
from trainer.errors import BadCheckpoint

KEPT = 2


def write(folder: Path, step: int, state: dict[str, Any]) -> Path:
    """Write the checkpoint of `step` and return its JSON file, which is renamed into place last.

    `state` nests dicts, lists, numbers, texts and tensors. Tensors are copied to the CPU, so that
    views of one buffer may be saved; tied tensors are stored once.
    """
    tensors: dict[str, torch.Tensor] = {}
    tree = _pack(state, "", tensors, {})
    data = save(tensors)
    weights = folder / f"{step:09d}.safetensors"
    events.replace(weights, data)
    body = {"step": step, "sha256": hashlib.sha256(data).hexdigest(), "state": tree}
    place = folder / f"{step:09d}.json"
    events.replace(place, json.dumps(body).encode())
    events.sync_folder(folder)
    _forget_old(folder)
    return place


def newest(folder: Path) -> tuple[int, dict[str, Any]] | None:
    """Return step and state of the newest readable checkpoint, None where there is none.

    An unreadable one falls back to the one before it.
    """
    for place in sorted(folder.glob("*.json"), reverse=True):
        try:
            return read(place)
        except BadCheckpoint:
            continue
    return None


def read(place: Path) -> tuple[int, dict[str, Any]]:
    """Return step and state of one checkpoint.

    Raises:
        BadCheckpoint: if a file is missing, cut short or not the one that was written.
    """
    try:
        body = json.loads(place.read_bytes())
        data = place.with_suffix(".safetensors").read_bytes()
        if hashlib.sha256(data).hexdigest() != body["sha256"]:
            raise BadCheckpoint(f"{place.name} does not hold what was written into it.")
        return int(body["step"]), _unpack(body["state"], load(data))
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise BadCheckpoint(f"{place.name} cannot be read: {error}") from error


def _pack(value: Any, name: str, tensors: dict[str, torch.Tensor], seen: dict[Any, str]) -> Any:
    """Move every tensor of a nested value into `tensors`; what stays is JSON."""
    if isinstance(value, torch.Tensor):
        where = (value.data_ptr(), value.shape, value.stride(), value.dtype)
        if value.numel() == 0 or where not in seen:
            seen[where] = name
            tensors[name] = value.detach().to("cpu", copy=True).contiguous()
        return {"tensor": seen[where]}
    if isinstance(value, dict):
        # Pairs, because an optimizer numbers its parameters and JSON knows only names.
        pairs = [
            [key, _pack(inner, f"{name}/{key}", tensors, seen)] for key, inner in value.items()
        ]
        return {"pairs": pairs}
    if isinstance(value, (list, tuple)):
        items = [_pack(inner, f"{name}/{i}", tensors, seen) for i, inner in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items
    return value


def _unpack(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if isinstance(value, dict):
        if "tensor" in value:
            return tensors[value["tensor"]]
        if "tuple" in value:
            return tuple(_unpack(inner, tensors) for inner in value["tuple"])
        return {key: _unpack(inner, tensors) for key, inner in value["pairs"]}
    if isinstance(value, list):
        return [_unpack(inner, tensors) for inner in value]
    return value


def _forget_old(folder: Path) -> None:
    for old in sorted(folder.glob("*.json"))[:-KEPT]:
        # The JSON first: without it the weights count as never written.
        old.unlink(missing_ok=True)
        old.with_suffix(".safetensors").unlink(missing_ok=True)
    for left in folder.glob(".*"):  # what a killed writer left half done
        if not left.name.endswith(f".{os.getpid()}"):
            left.unlink(missing_ok=True)


def random_state() -> dict[str, torch.Tensor]:
    """Return the states of torch's random generators as uint8 tensors; labs draw from no others."""
    states = {"cpu": torch.get_rng_state()}
    if _uses_cuda():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def set_random_state(states: dict[str, torch.Tensor]) -> None:
    """Put the generators back to where `random_state` found them."""
    torch.set_rng_state(states["cpu"])
    if "cuda" in states and _uses_cuda():
        torch.cuda.set_rng_state(states["cuda"])


def _uses_cuda() -> bool:
    """Whether this process has opened CUDA; asking does not open it."""
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
