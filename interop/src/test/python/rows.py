"""A row of a table of statuses: a call, and what it is answered with."""

import functools

import grpc
import tensorflow as tf

from cases import case

CODES = {number: name for name, number in vars(tf.errors).items() if isinstance(number, int)}
ASKED_FOR_TROUBLE = None  # stock crashes or hangs


class Refused(Exception):
    """A status other than OK, however it came."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


def outcome(call):
    """The name of the status and its message, "OK" and what it gave otherwise."""
    try:
        return "OK", call()
    except grpc.RpcError as e:
        return e.code().name, e.details()
    except tf.errors.OpError as e:
        return CODES[e.error_code], e.message
    except Refused as e:
        return e.code, e.message


def in_body(response):
    """The response of a step, whose status may be in it."""
    if response.status_code:
        raise Refused(CODES[response.status_code], response.status_error_message)
    return response


def row(code, *texts, stock=()):
    """The call fails with `code` and a message that has `texts`; stock's with those of `stock`, if given.

    With stock=ASKED_FOR_TROUBLE stock is not asked. Where `code` is OK, the call checks itself what it got.
    """

    def decorate(call):
        @case
        @functools.wraps(call)
        def check(clusters):
            wrong = []
            for cluster in clusters:
                expected = (code, *texts) if cluster.name == "headrace" or stock == () else stock
                if expected is ASKED_FOR_TROUBLE:
                    continue
                try:
                    answer = outcome(lambda: call(cluster))
                except AssertionError as e:
                    e.add_note("at " + cluster.name)
                    raise
                if answer[0] != expected[0] or not all(text in str(answer[1]) for text in expected[1:]):
                    wrong.append(f"{cluster.name}: {answer[0]}: {str(answer[1])[:4000]}\n  expected {expected}")
            assert not wrong, "\n".join(wrong)

        return check

    return decorate
