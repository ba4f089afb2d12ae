"""The firmware that this software wants on its boards. Made by `firmware/wire/generate.py`."""

VERSION = (1, 0, 0)
BUILD = 0xF91AC283
