"""Redraws the page when the visitor changes light and dark: charts take their colours here."""

import streamlit as st

_CSS = """
:host { position:absolute }
i { position:absolute; width:1px; height:1px; opacity:0; pointer-events:none;
    background-color:var(--st-background-color); transition:background-color 1ms }
"""
_JS = """
export default function ({ parentElement, setTriggerValue }) {
  const probe = parentElement.querySelector('i');
  const changed = () => setTriggerValue('changed', Date.now());
  probe.addEventListener('transitionend', changed);
  return () => probe.removeEventListener('transitionend', changed);
}
"""
_watch = st.components.v2.component("stagecoach_theme", html="<i></i>", css=_CSS, js=_JS)


def show() -> None:
    """Place an invisible probe; a change of theme then reruns the script once."""
    _watch(key="theme", on_changed_change=lambda: None)
