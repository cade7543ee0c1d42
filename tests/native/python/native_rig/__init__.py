"""Contracts of every form: pure in `contracts`, native in `_native` once that is built."""
