# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command on a terminal of LINES and COLUMNS, with KEYS typed ahead, and print what it shows; its exit status is
ours. Arguments: LINES, COLUMNS, KEYS, the command."""
import fcntl
import os
import pty
import struct
import sys
import termios

lines, columns, keys = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.environ["TERM"] = "xterm"
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    os.execv(sys.argv[4], sys.argv[4:])
os.write(terminal, keys.encode())
while True:
    try:
        shown = os.read(terminal, 4096)
    except OSError:
        break
    if not shown:
        break
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
