"""A drawn figure of our own: SVG or HTML in a shadow root, coloured by the theme.

`st.html` drops inline SVG and `st.image` draws it without our fonts and colours. The body is
trusted: callers escape every text that comes from data.
"""

import streamlit as st

_CSS = ":host{display:block;color:var(--st-text-color);font-family:var(--st-font)} figure{margin:0}"
_JS = (
    "export default function({data,parentElement})"
    "{parentElement.querySelector('div').innerHTML=data.body}"
)
_draw = st.components.v2.component("stagecoach_figure", html="<div></div>", css=_CSS, js=_JS)


def show(body: str, key: str) -> None:
    """Draw the body; it must carry its own text alternative (`role="img"` and `aria-label`)."""
    _draw(data={"body": body}, key=f"figure-{key}")
