"""Runs programs of the folder "programs", each in a process of its own: programs.py

A line of standard input names programs to run side by side: PROGRAM ARGUMENT... ; PROGRAM ARGUMENT... ; ... For each
in turn, prints the lines that it printed, with a "|" in front, and then "ended STATUS". Their processes are forked from
this one, which has imported TensorFlow, so that it is imported once for all of them.
"""

import os
import pathlib
import runpy
import sys
import tempfile

import tensorflow as tf  # noqa: F401, for the forks

FOLDER = pathlib.Path(__file__).with_suffix("")


def fork(command):
    """Starts a program; returns its process's id and the file that it prints to."""
    output = tempfile.TemporaryFile("w+")
    child = os.fork()
    if child:
        return child, output
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    sys.argv = command
    runpy.run_path(str(FOLDER / command[0]), run_name="__main__")
    sys.exit()


def report(child, output):
    _, status = os.waitpid(child, 0)
    output.seek(0)
    for line in output:
        print("|" + line, end="")
    print("ended", status, flush=True)


if __name__ == "__main__":
    for line in sys.stdin:
        children = [fork(command.split()) for command in line.split(";")]
        for child in children:
            report(*child)
