"""A page read again: its elements, its texts, its data."""

import json
from html.parser import HTMLParser
from xml.etree import ElementTree

__all__ = ["VOID", "Page"]

VOID = {"meta", "input", "line", "path", "rect", "circle", "br"}


class Page(HTMLParser):
    """What a browser would find.

    Attributes
    ----------
    elements : list of (str, dict)
    texts : list of str
    unclosed : list of str
        Empty if every element that was opened was closed, in order.
    wrong : list of str
        Ends of elements that were not open.
    """

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.elements, self.texts, self.unclosed, self.wrong = text, [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(set(names)) == len(names)
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in VOID
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if self.unclosed and self.unclosed[-1] == tag:
            self.unclosed.pop()
        else:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.unclosed and self.unclosed[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def said(self):
        """All that is read."""
        return "\n".join(self.texts)

    def of(self, tag):
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def drawings(self):
        """The drawings, each read as XML."""
        parts = self.text.split("<svg")[1:]
        return [ElementTree.fromstring(f"<svg{part.split('</svg>')[0]}</svg>") for part in parts]

    @property
    def data(self):
        """What scripts are given."""
        opened = '<script type="application/json">'
        return [json.loads(p.split("</script>")[0]) for p in self.text.split(opened)[1:]]
