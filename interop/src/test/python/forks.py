"""Runs scripts in processes forked from this one, which has imported TensorFlow, so that it is imported once:
forks.py SOCKET

Listens at SOCKET, a path, when it prints "ready". Each connection starts a script: it sends how many strings follow, a
key, the file of the script's standard error, the script and its arguments, with a NUL after each, and gets the id of the
process in a line. From then on it is the script's standard input and output. When the process ends, prints "ended KEY
STATUS"; STATUS is 128 and the signal's number if a signal ended it. Ends with its standard input.
"""

import gc
import os
import runpy
import select
import signal
import socket
import sys

import tensorflow as tf  # noqa: F401, for the forks


class Forks:
    """The processes that still run: their keys by id."""

    def __init__(self, path):
        self.keys = {}
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        # Ends of processes wake the loop.
        self.wakened, self.waker = socket.socketpair()
        self.wakened.setblocking(False)
        self.waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.waker.fileno(), warn_on_full_buffer=False)

    def serve(self):
        """Returns None at the end of standard input and, in each process that it starts, the script and its arguments."""
        while True:
            readable, _, _ = select.select([0, self.listener, self.wakened], [], [])
            if self.wakened in readable:
                self.wakened.recv(4096)
                self.report()
            if self.listener in readable:
                command = self.accept()
                if command:
                    return command
            if 0 in readable and not os.read(0, 4096):
                return None

    def accept(self):
        """Starts what the next connection asks for; returns its command line in the new process, and None in this one."""
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rb", buffering=0) as stream:
            try:
                key, log, *command = [receive(stream) for _ in range(int(receive(stream)))]
            except EOFError:
                return None  # the other side gave up
            process = os.fork()
            if process:
                self.keys[process] = key
                return None
            self.close()
            os.dup2(connection.fileno(), 0)
            os.dup2(connection.fileno(), 1)
            with open(log, "a") as errors:
                os.dup2(errors.fileno(), 2)
        print(os.getpid(), flush=True)
        return command

    def report(self):
        """Says which processes have ended."""
        while self.keys:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            code = os.waitstatus_to_exitcode(status)
            print("ended", self.keys.pop(process), code if code >= 0 else 128 - code, flush=True)

    def close(self):
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in self.listener, self.wakened, self.waker:
            end.close()


def receive(stream):
    """Reads a string byte by byte: what follows the last one is the script's."""
    read = bytearray()
    while byte := stream.read(1):
        if byte == b"\0":
            return read.decode()
        read += byte
    raise EOFError("a connection ended before it said what to run")


if __name__ == "__main__":
    gc.freeze()  # Collections of garbage in the forks would copy the pages of all that was imported.
    forks = Forks(sys.argv[1])
    print("ready", flush=True)
    command = forks.serve()
    if command:
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")
