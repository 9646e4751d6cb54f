"""What a link from a page to the page itself leaves undone: address, place and look.

Streamlit draws what such a link asks for, but the address bar keeps the old query (a reload or the
next click would lead back), the new text stands scrolled to where the old one was left, and each
such link is filled as the one that is open.
"""

import streamlit as st

_LOOK = """<style>
[data-testid="stPageLink-NavLink"][href*="PAGE"]:not(:hover) { background: transparent }
[data-testid="stPageLink-NavLink"][href*="PAGE"] :is(span, div, p) {
  white-space: normal; overflow: visible; text-overflow: clip
}
</style>"""
_JS = """let last
export default function({data}) {
  if (last !== undefined && last !== data.text)
    document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
  last = data.text
}"""
_to_top = st.components.v2.component("stagecoach_to_top", html="<i hidden></i>", js=_JS)


def show(page: str, text: str) -> None:
    """Put the query into the address bar, go to the top for a new text, give links their look."""
    st.query_params.from_dict(st.query_params.to_dict())  # the browser keeps an equal one
    look(page)
    _to_top(data={"text": text}, key=f"to-top-{page}")


def look(page: str) -> None:
    """Let links to this page stand unfilled, and wrap where the window is narrow."""
    st.html(_LOOK.replace("PAGE", page))
