"""The settings of a lab as widgets, mirrored in the address; the worker checks them once more."""

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from trainer import device
from trainer.catalogue import LabInfo
from trainer.runs import runs_folder
from trainer.setting import SettingInfo
from ui import setting_widget, state

_FIRST = 3
SEED = SettingInfo(
    name="seed",
    kind="number",
    default=1337,
    label="Seed",
    help="The same seed and the same settings give the same numbers.",
    low=0,
    high=2**31 - 1,
    step=1,
    integer=True,
    advanced=True,
)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What the widgets say: all settings of the lab, the preset and the seed."""

    settings: dict[str, Any] = field(default_factory=dict)
    preset: str = "cpu"
    seed: int = 1337
    key: str = ""

    def now(self) -> "Chosen":
        """Return what the widgets say now: one may have changed since it was drawn."""
        kept = st.session_state
        settings = {
            name: kept.get(f"{self.key}-{name}", value) for name, value in self.settings.items()
        }
        seed = int(kept.get(f"{self.key}-{SEED.name}", self.seed))
        return replace(self, settings=settings, seed=seed)


def show(info: LabInfo) -> Chosen:
    """Draw the settings: three first, the rest folded; returns what they say."""
    view = state.read()
    preset = _preset(info, view)
    base = {entry.name: entry.default for entry in info.settings} | info.presets.get(preset, {})
    first = [entry for entry in info.settings if not entry.advanced][:_FIRST]
    rest = [entry for entry in info.settings if entry not in first]
    _say_left_out(info, view)
    values: dict[str, Any] = {}
    key = f"set-{info.id}-{preset}-{_round()}"
    for entry in first:
        values[entry.name] = setting_widget.show(entry, base[entry.name], f"{key}-{entry.name}")
    with st.expander("More settings", icon=":material/tune:"):
        for entry in rest:
            values[entry.name] = setting_widget.show(entry, base[entry.name], f"{key}-{entry.name}")
        seed = setting_widget.show(SEED, SEED.default, f"{key}-{SEED.name}")
        _preset_widget(info, preset)
        if st.button("Reset", icon=":material/restart_alt:", key=f"reset-{info.id}"):
            _reset(info)
    _mirror(base | {"seed": SEED.default}, values | {"seed": seed})
    return Chosen(settings=values, preset=preset, seed=seed, key=key)


def proposed_preset(info: LabInfo) -> str:
    """Return the preset that suits this machine."""
    facts = device.facts(runs_folder())
    wants_gpu = facts is not None and facts.kind == "cuda" and "gpu" in info.presets
    return "gpu" if wants_gpu else "cpu"


def _preset(info: LabInfo, view: state.State) -> str:
    wanted = view.settings.get("preset")
    return wanted if wanted in info.presets else proposed_preset(info)


def _say_left_out(info: LabInfo, view: state.State) -> None:
    """Say above all settings what of the address was not used: some widgets are folded away."""
    found = [setting_widget.problem(entry) for entry in (*info.settings, SEED)]
    preset = view.settings.get("preset")
    if preset is not None and preset not in info.presets:
        found.append(
            f"preset must be one of {', '.join(info.presets)}, not {setting_widget.quoted(preset)}."
        )
    told = [sentence for sentence in found if sentence]
    if told:
        usual = "The usual values are used." if len(told) > 1 else "The usual value is used."
        st.warning(" ".join([*told, usual]), icon=":material/tune:")


def _preset_widget(info: LabInfo, preset: str) -> None:
    if len(info.presets) < 2:
        return
    picked = st.segmented_control(
        "Preset",
        list(info.presets),
        default=preset,
        required=True,
        format_func=str.upper,
        help="The GPU preset is wider and reads more data; it takes long on a CPU.",
        key=f"preset-{info.id}-{_round()}",
    )
    if picked and picked != preset:
        state.put(_nothing_set(info) | {"preset": picked})
        st.rerun()


def _mirror(base: dict[str, Any], values: dict[str, Any]) -> None:
    state.put(
        {name: None if value == base[name] else _text(value) for name, value in values.items()}
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reset(info: LabInfo) -> None:
    state.put(_nothing_set(info))
    st.session_state["settings-round"] = _round() + 1
    st.rerun()


def _nothing_set(info: LabInfo) -> dict[str, str | None]:
    return dict.fromkeys([*(entry.name for entry in info.settings), "seed", "preset"])


def _round() -> int:
    """Return how often Reset was pressed: part of every key, so that widgets start afresh."""
    return int(st.session_state.get("settings-round", 0))
