"""Remedies of reasons: one text, with placeholders that each interface fills in.

A reason is shown in Python, on the command line, and on pages for readers of neither. What differs
is how one asks for something: by a parameter, by an option, in plain words. Placeholders name it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SLOT = re.compile(r"\{(\w+)\}")
# How one asks in Python.
PYTHON = {
    "default_model": "use experts='auto'",
    "more_draws": "use more n_draws, or experts='auto'",
    "flip": "pass greater_is_positive=False",
    "unflip": "leave greater_is_positive=False out",
    "pos_label": "pos_label",
    "or_state_prevalence": ", or state a prior of the prevalence (prevalence_prior=)",
    "suspects": " (suspect_labels_)",
    "population": "target='population'",
    "score_kind": "pass score_kind=",
    "threshold": "pass threshold=",
    "pending": "pending_",
    "give_up": "update(selector.pending_, [None] * len(selector.pending_))",
}
# How one asks whoever made the numbers.
PLAIN = {
    "default_model": "compute it with the default model",
    "more_draws": "compute it with more simulations; more labels do not help",
    "flip": "turn them around",
    "unflip": "turn them around",
    "pos_label": "which class is the positive one",
    "or_state_prevalence": "",
    "suspects": "",
    "population": "ask about the population",
    "score_kind": "state it",
    "threshold": "state the score from which on items are called positive",
    "pending": "the items that are asked for",
    "give_up": "mark them as skipped",
}


class Remedy(str):
    """A remedy in the words of Python; `filled` returns it in those of another interface.

    Parameters
    ----------
    template : str
        With placeholders, such as ``"Check {pos_label}."``; one in upper case begins a sentence.
    **python : str
        Words of Python that differ from those of other reasons.
    """

    template: str

    def __new__(cls, template: str, **python: str) -> Remedy:
        """Fill the placeholders with the words of Python."""
        return _restored(_filled(template, PYTHON | python), template)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (str(self), self.template)


def _restored(text: str, template: str) -> Remedy:
    """Return a remedy with its text in the words of Python."""
    remedy = str.__new__(Remedy, text)
    remedy.template = template
    return remedy


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return a text in the words of an interface; one without placeholders unchanged."""
    return _filled(text.template, words) if isinstance(text, Remedy) else text


def _filled(template: str, words: Mapping[str, str]) -> str:
    def word(slot: re.Match[str]) -> str:
        name = slot[1]
        text = words.get(name.lower())
        if text is None:
            # The name of a system may hold braces.
            return slot[0]
        return f"{text[:1].upper()}{text[1:]}" if name[0].isupper() else text

    return SLOT.sub(word, template)
