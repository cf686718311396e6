"""What packed files hold: gzip, bzip2, xz. Read in parts and within a budget, so that a bomb costs its sandbox the check and nobody anything."""

import bz2
import lzma
import os
import zlib

CHUNK = 64 * 1024
# xz may want this much to unpack what was packed with its highest settings; beyond it the file counts as not packed.
MOST_MEMORY = 96 * 1024 * 1024
DAMAGED = (zlib.error, OSError, EOFError, lzma.LZMAError, MemoryError)


class Gzip:
    """zlib with the interface of the others."""

    def __init__(self):
        self.inner, self.held = zlib.decompressobj(wbits=31), b""

    def decompress(self, told, most):
        part = self.inner.decompress(self.held + told, most)
        self.held = self.inner.unconsumed_tail
        return part

    @property
    def eof(self):
        return self.inner.eof

    @property
    def needs_input(self):
        return not self.held

    @property
    def unused_data(self):
        return self.inner.unused_data


LONGEST_MAGIC = 6
KINDS = (
    (b"\x1f\x8b", Gzip),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(memlimit=MOST_MEMORY)),
)


def opener_of(told):
    return next((make for magic, make in KINDS if told.startswith(magic)), None)


def is_packed(file):
    return opener_of(os.pread(file, LONGEST_MAGIC, 0)) is not None


def unpacked(file, budget):
    """The content of an open file, part by part; nothing where it is not packed. What follows a damaged place is left out."""
    make = opener_of(os.pread(file, LONGEST_MAGIC, 0))
    if make is None:
        return
    opener, at, told = make(), 0, b""
    while True:
        try:
            if not told and opener.needs_input:
                told = os.pread(file, CHUNK, at)
                at += len(told)
                budget.read(len(told))
                if not told:
                    return
            part = opener.decompress(told, CHUNK)
        except DAMAGED:
            return
        told = b""
        budget.read(len(part))
        yield part
        if opener.eof:
            told = opener.unused_data  # several may follow one another in one file
            if len(told) < LONGEST_MAGIC:
                more = os.pread(file, CHUNK, at)
                at, told = at + len(more), told + more
                budget.read(len(more))
            make = opener_of(told)
            if make is None:
                return
            opener = make()
