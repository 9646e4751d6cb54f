"""Measures text: words, sentences, paragraphs, abbreviations. Knows no file and no rule."""

import re

_CODE = re.compile(r"```.*?```|\{\{.*?\}\}", re.S)
_INLINE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<address>[^)\s]*)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<title>.+)$", re.M)
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\")]*\s+(?=[\"*_(A-Z])")
_WORD = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9':-]*")
_ABBREVIATION = re.compile(r"\b\w*[A-Z]\w*[A-Z]\w*\b")
_FIGURE = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d[\d.,]*")


def plain(markdown: str) -> str:
    """The text without code, headings, link addresses and marks of emphasis."""
    text = _INLINE.sub(" ", _CODE.sub(" ", markdown))
    text = _LINK.sub(lambda match: match["text"], _HEADING.sub("", text))
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def words(markdown: str) -> list[str]:
    """The words a reader reads, without code."""
    return _WORD.findall(plain(markdown))


def first_paragraph(markdown: str) -> str:
    """The first paragraph that is neither heading nor code."""
    paragraphs = re.split(r"\n\s*\n", markdown.strip())
    return next((each for each in paragraphs if not each.startswith(("#", "```", "{{"))), "")


def sentences(markdown: str) -> list[str]:
    """The sentences of a text, in order."""
    text = " ".join(plain(markdown).split())
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def headings(markdown: str) -> list[str]:
    """The titles of all headings, in order."""
    return [match["title"].strip() for match in _HEADING.finditer(_CODE.sub("", markdown))]


def links(markdown: str) -> list[str]:
    """The addresses of all links, in order."""
    return [match["address"] for match in _LINK.finditer(_CODE.sub("", markdown))]


def abbreviations(markdown: str) -> list[str]:
    """Words in capitals or with a capital inside (GPU, NVLink), each once, in order."""
    return list(dict.fromkeys(_ABBREVIATION.findall(plain(markdown))))


def figures(markdown: str) -> list[str]:
    """Numbers written in digits; digits inside a name (p99, ConnectX-7) are none."""
    return _FIGURE.findall(plain(markdown))
