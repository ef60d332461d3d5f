"""Self-checking cases of a script. Import this before tensorflow, to silence its log."""

import os
import time
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

CASES = []


def case(function):
    """Registers a function as a case of `run`; a failing case raises."""
    CASES.append(function)
    return function


def fails(error, text, function):
    """Raises unless `function` fails with `error` and a message that contains `text`."""
    try:
        function()
    except error as e:
        assert text in str(e), f"{text!r} is not in {e}"
        return
    raise AssertionError(f"did not fail with {error.__name__}")


def run(call=lambda function: function(), cases=CASES):
    """Runs each case with `call`, prints "ok NAME" or "failed NAME", and returns an exit status."""
    status = 0
    for function in cases:
        start = time.time()
        try:
            call(function)
            print("ok", function.__name__, "%.2f s" % (time.time() - start), flush=True)
        except BaseException:
            status = 1
            print("failed", function.__name__, flush=True)
            traceback.print_exc()
    return status
