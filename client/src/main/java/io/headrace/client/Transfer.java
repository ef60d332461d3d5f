package io.headrace.client;

/** The transfer of elements from workers. */
public enum Transfer {
  /** Streams if the worker offers them, otherwise TensorFlow's unary calls. */
  AUTO,
  /** TensorFlow's unary calls (GetElement), with one element each. */
  GRPC,
  /** Headrace's element streams, with many elements in a frame; stock workers do not offer them. */
  STREAM,
  /**
   * None: the worker is in the reader's process, and gives rows by reference. A task of another
   * worker is NOT_FOUND.
   */
  LOCAL
}
