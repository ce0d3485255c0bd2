# SPDX-License-Identifier: GPL-3.0-or-later
"""Run insideme-run as a shell would, in the foreground of a terminal; prints how many signals the program says
it got, and the states of both after Ctrl-Z. Arguments: insideme-run, a script for bash that counts signals."""
import os
import pty
import select
import signal
import sys
import time


def lead_session(tell):
    """What a shell does: the job has its own process group, and the terminal."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(sys.argv[1], [sys.argv[1], "-q", "bash", "-c", sys.argv[2]])
    os.write(tell, str(job).encode())
    _, status = os.waitpid(job, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 255)


def read_until(terminal, text, seconds=60):
    seen = ""
    end = time.time() + seconds
    while text not in seen and time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 4096).decode()


def state(of):
    with open(f"/proc/{of}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


hear, tell = os.pipe()
leader, terminal = pty.fork()
if leader == 0:
    lead_session(tell)
job = int(os.read(hear, 20))
read_until(terminal, "ready")
for number in (1, 2, 3):
    os.write(terminal, b"\x03")
    read_until(terminal, f"got {number}")
    time.sleep(0.1)  # a second one would come now
with open(f"/proc/{job}/task/{job}/children") as children:
    child = int(children.read().split()[0])
os.write(terminal, b"\x1a")
for _ in range(3000):
    if state(job) == state(child) == "T":
        break
    time.sleep(0.02)
stopped = f"{state(job)} {state(child)}"
os.killpg(job, signal.SIGCONT)
time.sleep(0.1)
os.kill(job, signal.SIGTERM)
_, status = os.waitpid(leader, 0)
print(os.waitstatus_to_exitcode(status))
print(stopped)
