package io.headrace.gpu.check;

import io.headrace.gpu.check.CheckPoint.Outcome;
import java.util.OptionalDouble;

/**
 * Figures beside their aims. Where times mean nothing, as on the fake driver, no aim passes or
 * fails.
 */
record FigurePoints(CheckPoints points, boolean areTimed) {
  /** A figure without an aim. */
  void note(String name, String text) {
    if (areTimed) {
      points.add(name, Outcome.PASS, text);
    } else {
      points.skip(name, "times mean nothing here");
    }
  }

  /** A figure that is not taken. */
  void skip(String name, String reason) {
    points.skip(name, reason);
  }

  /** A figure that must be {@code aim} or more. */
  void atLeast(String name, double value, double aim, String text) {
    if (areTimed) {
      boolean isReached = value >= aim;
      points.add(
          name,
          isReached ? Outcome.PASS : Outcome.FAIL,
          "%.3f, aim %.2f: %s".formatted(value, aim, text));
    } else {
      points.skip(name, "times mean nothing here");
    }
  }

  /** How many times faster than a peer {@code millis} is, which must be {@code aim} or more. */
  void beside(String name, double millis, Peers peers, String peer, double aim) {
    OptionalDouble theirs = peers.millis(peer);
    if (theirs.isEmpty()) {
      points.skip(name, peer + ": " + peers.reason(peer));
    } else {
      atLeast(
          name,
          theirs.getAsDouble() / millis,
          aim,
          "%.3f ms, %s %.3f ms".formatted(millis, peer, theirs.getAsDouble()));
    }
  }
}
