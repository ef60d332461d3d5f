"""Rows of a table of statuses: a call and its expected status."""

import functools

import grpc
import tensorflow as tf

from cases import case

CODES = {number: name for name, number in vars(tf.errors).items() if isinstance(number, int)}
ASKED_FOR_TROUBLE = None  # stock crashes or hangs


class Refused(Exception):
    """A status other than OK, from the RPC or the response."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


def outcome(call):
    """The name of the status and its message; "OK" and the result for a success."""
    try:
        return "OK", call()
    except grpc.RpcError as e:
        return e.code().name, e.details()
    except tf.errors.OpError as e:
        return CODES[e.error_code], e.message
    except Refused as e:
        return e.code, e.message


def in_body(response):
    """The response of a step; raises the status in it."""
    if response.status_code:
        raise Refused(CODES[response.status_code], response.status_error_message)
    return response


def row(code, *texts, stock=()):
    """Declares that the call fails with `code` and a message that contains `texts`; on stock those of `stock`, if
    given.

    With stock=ASKED_FOR_TROUBLE the call is not made on stock. If `code` is OK, the call checks its result itself.
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
