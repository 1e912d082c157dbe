"""Hearing: from an utterance to typed tokens, and from tokens to a value.

The stages are pure functions, in this order:

    text.clean       characters -> characters   invisible ones out, compatibility forms folded, offsets kept
    lexer.lex        characters -> tokens       longest phrase of the locale's lexicon; every meaning is kept
    lattice.edges    tokens -> edges            "double s", "b as in boy", "forty two": what each stretch may write
    pattern.read     edges -> value             for fields whose characters a pattern rules
    words.read       tokens -> words            for fields made of words and spellings

No stage decides what a later one can settle: "oh" stays a letter, a digit and a word until a field's alphabet
leaves one choice. A locale is data (``locales/<language>/hearing.toml``); nothing here names a language.
"""
