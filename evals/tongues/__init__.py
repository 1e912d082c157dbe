"""The yardstick in other languages: tasks, callers, line and ear as data on one set of mechanisms.

English stays as it is (``evals/``, frozen on its own). Here a language is ``data/<xx>/values.yaml`` and ``voice.toml``.
Rates are English's (``data/channel.toml``); confusions come from how the language's own letters and digits sound.
Nothing here reads the product's locale files.
"""
