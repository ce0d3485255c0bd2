# SPDX-License-Identifier: GPL-3.0-or-later
"""mutate.py FILE SEED: FILE with one to eight random changes, on standard output: bytes, pieces, numbers, punctuation."""
import random
import re
import sys

EXTREME = [b"0", b"-1", b"4294967295", b"9223372036854775807", b"99999999999999999999", b"1e308", b"null"]


def change(data):
    at = random.randrange(len(data))
    kind = random.randrange(5)
    if kind == 0:
        data[at] = random.randrange(256)
    elif kind == 1:
        del data[at:at + random.randint(1, 30)]
    elif kind == 2:
        data[at:at] = bytes(random.choices(b'0123456789-,[]{}"\t\n\\:eE.', k=random.randint(1, 4)))
    elif kind == 3:
        other = random.randrange(len(data))
        data[at:at + 20] = data[other:other + 20]
    else:
        numbers = list(re.finditer(rb"\d+", bytes(data)))
        if numbers:
            number = random.choice(numbers)
            data[number.start():number.end()] = random.choice(EXTREME)


random.seed(int(sys.argv[2]))
content = bytearray(open(sys.argv[1], "rb").read())
for _ in range(random.randint(1, 8)):
    change(content)
sys.stdout.buffer.write(content)
