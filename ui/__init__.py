"""Streamlit components that the pages share; each module draws one thing with `show`."""
