"""Prose in the pages that scripts write, wrapped at 120 columns like the rest of docs."""

import textwrap


def prose(text):
    """Each line of `text` is a paragraph, or an item of a list."""
    return "\n".join(textwrap.fill(line, 120, subsequent_indent="  " if line.startswith("- ") else "",
                                   break_long_words=False, break_on_hyphens=False)
                     for line in text.split("\n"))
