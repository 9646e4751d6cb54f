"""The glossary page: every word of the course in one plain sentence."""

from ui import glossary

glossary.show()
