"""The words of the page itself, in the languages that it speaks.

Owns: what the page's own words are in each language, and how numbers are written there. Must not know: the page.

English is what the page is written in: its words are the keys. A language that is not known, and words that are not
translated, are English. Messages of diagnostics and texts for models are not words of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "en"
#: Digits are grouped with a comma in English, with a narrow no-break space in French.
_GROUPED: Final = {ENGLISH: ",", "fr": "\u202f"}
#: An apostrophe is typographic, and a colon is after a no-break space.
TRANSLATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "fr": {
        "Skip to the content": "Aller au contenu",
        "{0} call": "{0} appel",
        "{0} calls": "{0} appels",
        "{0} conversation": "{0} conversation",
        "{0} conversations": "{0} conversations",
        "{0} turn": "{0} tour",
        "{0} turns": "{0} tours",
        "{0} file": "{0} fichier",
        "{0} files": "{0} fichiers",
        "{0} error": "{0} erreur",
        "{0} errors": "{0} erreurs",
        "{0} warning": "{0} avertissement",
        "{0} warnings": "{0} avertissements",
        "{0} info": "{0} information",
        "{0} notes": "{0} informations",
        "{0} hint": "{0} conseil",
        "{0} hints": "{0} conseils",
        "no diagnostics": "aucun problème",
        "{0} reply": "{0} réponse",
        "{0} replies": "{0} réponses",
        "Of {0}, a strict runtime accepts {1} with calls and {2} without, and rejects {3}.": (
            "Sur {0}, un lecteur strict accepte {1} avec appels et {2} sans, et rejette {3}."
        ),
        "Calls per tool": "Appels par outil",
        "valid": "valides",
        "invalid": "non valides",
        "Diagnostics per rule": "Problèmes par règle",
        "diagnostics": "problèmes",
        "Errors over the course of the conversations": "Erreurs au fil des conversations",
        "errors": "erreurs",
        "Figures": "Graphiques",
        "Previous problem": "Problème précédent",
        "Next problem": "Problème suivant",
        "Key {0}": "Touche {0}",
        "Only problems": "Problèmes seulement",
        "Problems": "Problèmes",
        "Export session…": "Exporter la session…",
        "There are no problems.": "Il n’y a pas de problème.",
        "Session {0}": "Session {0}",
        "There are no calls and no problems.": "Il n’y a ni appel ni problème.",
        "Diagnostics outside the turns shown": "Problèmes hors des tours affichés",
        "Diagnostics": "Problèmes",
        "Conversation {0}": "Conversation {0}",
        "{0} more turn is not shown; the figures include it.": (
            "{0} autre tour n’est pas montré\u202f; les graphiques l’incluent."
        ),
        "{0} more turns are not shown; the figures include them.": (
            "{0} autres tours ne sont pas montrés\u202f; les graphiques les comptent."
        ),
        "Calls in the text": "Appels dans le texte",
        "Turn {0} · {1}": "Tour {0} · {1}",
        "unknown": "inconnu",
        "Rejected: ": "Rejetée\u00a0: ",
        "A strict runtime stops here: {0} mistakes in a row are allowed.": (
            "Un lecteur strict s’arrête ici\u00a0: {0} fautes de suite sont permises."
        ),
        "Feedback for the model": "Retour destiné au modèle",
        "Copy feedback for the model": "Copier le retour destiné au modèle",
        "Logged at the time: {0}": "Journalisé sur le moment\u00a0: {0}",
        "Call of ": "Appel de ",
        "(no name)": "(sans nom)",
        "✗ invalid": "✗ non valide",
        "✓ valid": "✓ valide",
        "answered in turn {0}": "résultat au tour {0}",
        "As written": "Tel qu’il est écrit",
        "Result of {0}": "Résultat de {0}",
        "Result": "Résultat",
        "✗ failed": "✗ échec",
        "✓ returned": "✓ réussi",
        "called in turn {0}": "appelé au tour {0}",
        "error": "erreur",
        "warning": "avertissement",
        "info": "information",
        "hint": "conseil",
        "line {0}": "ligne {0}",
        "✗ rejected: {0}": "✗ rejetée\u00a0: {0}",
        "✓ accepted": "✓ acceptée",
        "– no call": "– aucun appel",
        "strikes: {0} of {1}": "fautes\u00a0: {0} sur {1}",
        "The text, {0} characters": "Le texte, {0} caractères",
        "The arguments, {0} characters": "Les arguments, {0} caractères",
        "The result, {0} characters": "Le résultat, {0} caractères",
        "{0} others": "{0} autres",
        "Name": "Nom",
        "turn {0}": "tour {0}",
        "turns {0}–{1}": "tours {0}–{1}",
        "Turn": "Tour",
        "Figures as a table": "Les chiffres en tableau",
    },
}


class Words:
    """Speaks one language: that of a locale such as `fr-CA`, or English."""

    def __init__(self, locale: str = "") -> None:
        language = locale.replace("_", "-").partition("-")[0].lower()
        self.language = language if language in TRANSLATIONS else ENGLISH
        self._table = TRANSLATIONS.get(self.language, {})

    def __call__(self, text: str, *values: object) -> str:
        """Return the words, with the values in place of `{0}`, `{1}`."""
        return self._table.get(text, text).format(*values)

    def number(self, value: int) -> str:
        """Return a number with its digits grouped."""
        return f"{value:,}".replace(",", _GROUPED[self.language])

    def counted(self, value: int, one: str, many: str) -> str:
        """Return a number with its noun; in French none is singular, too."""
        single = value in (0, 1) if self.language == "fr" else value == 1
        return self(one if single else many, self.number(value))
