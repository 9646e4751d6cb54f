"""The card of one version: data, split, measures, export and hashes, folded away."""

import streamlit as st

from trainer.registry import Version
from ui import number

_COUNTS = {"tickets": "Tickets", "devices": "Devices", "wrong_labels": "Wrong labels"}
_OWN = {"tickets": "Rows", "devices": "Groups"}


def show(version: Version) -> None:
    """Draw the card in an expander."""
    card = version.card
    with st.expander(f"Data card of version {version.number}", icon=":material/description:"):
        st.markdown(f"**{card['data']['title']}.** {card['data']['about']}", width=720)
        st.table(_rows(version), border="horizontal", hide_header=True,
                 alt=f"Data card of version {version.number}")  # fmt: skip


def _rows(version: Version) -> dict[str, str]:
    card = version.card
    data, gate = card["data"], card["export"]
    is_own = data["origin"] == "own"
    origin = "M" if is_own else "S"
    counts = {
        label: number.text(data["counts"][name], "", origin)
        for name, label in (_OWN if is_own else _COUNTS).items()
    }
    differs = number.text(gate["largest_difference"], "", "M")
    hashes = {f"SHA-256 of {name}": f"`{value[:16]}...`" for name, value in card["files"].items()}
    return {
        "Data set": f"`{data['id']}`, {data['origin']}",
        **counts,
        "Split": f"by {data['split']}, drawn with seed {data['seed']}",
        "Learned from": number.text(data["trained_on"], "rows" if is_own else "tickets", origin),
        "Run": f"`{version.run}`",
        "Goes on from": f"`{card['parent']}`" if card["parent"] else "nothing",
        **_measures(version),
        "ONNX against the model": f"largest difference of a score {differs} in "
        f"{number.text(gate['rows'], 'tickets', 'M')}",
        **hashes,
        "Made": card["date"][:16].replace("T", " ") + " UTC",
    }


def _measures(version: Version) -> dict[str, str]:
    return {
        name.replace("test/", "Test ").replace("_", " "): number.text(
            found["value"], "", found["origin"]
        )
        for name, found in version.card["metrics"].items()
    }
