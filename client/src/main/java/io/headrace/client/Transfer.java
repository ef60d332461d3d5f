package io.headrace.client;

/** How elements come from workers. */
public enum Transfer {
  /** By stream where the worker offers it, by TensorFlow's unary calls otherwise. */
  AUTO,
  /** TensorFlow's unary calls, an element each. */
  GRPC,
  /** Headrace's stream, many elements a frame; stock workers do not offer it. */
  STREAM
}
