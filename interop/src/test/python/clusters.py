"""Clusters of child processes, which a script starts, kills and restarts."""

import contextlib
import json
import pathlib
import socket
import subprocess
import sys

TWO_JOBS = "worker:0", "ps:0"


def stock(cluster, job, index):
    """The command line of a stock task of `cluster`, given as JSON."""
    script = pathlib.Path(__file__).with_name("stock_task.py")
    return [sys.executable, "-B", str(script), cluster, job, index]


def headrace(launcher):
    """The command line of a Headrace task; `launcher` is the headrace command."""
    return lambda cluster, job, index: [
        launcher, "server", "--cluster=" + cluster, "--job-name=" + job, "--task-index=" + index]


def free_address():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return "localhost:%d" % free.getsockname()[1]


class Cluster:
    """Tasks named JOB:INDEX; the first is the master of sessions."""

    def __init__(self, command, tasks=TWO_JOBS):
        self.command = command
        self.addresses = {task: free_address() for task in tasks}
        self.processes = {}
        self.target = "grpc://" + self.addresses[tasks[0]]
        for task in tasks:
            self.launch(task)

    def launch(self, task):
        cluster = {}
        for name, address in self.addresses.items():
            job, index = name.split(":")
            cluster.setdefault(job, {})[index] = address
        self.processes[task] = subprocess.Popen(
            self.command(json.dumps(cluster), *task.split(":")),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def await_ready(self, *tasks):
        for task in tasks or self.processes:
            if not any(line.startswith("ready") for line in self.processes[task].stdout):
                raise AssertionError(f"{task} ended with {self.processes[task].wait()}")

    @contextlib.contextmanager
    def without(self, task):
        """Kills a task for the duration of the context, then restarts it."""
        self.processes[task].kill()
        self.processes[task].wait()
        try:
            yield
        finally:
            self.launch(task)
            self.await_ready(task)

    def restart(self, task):
        with self.without(task):
            pass

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
