package io.headrace.cli.web;

import io.headrace.runtime.status.StatusException;

/** Something to read over HTTP. Thread-safe; may block for a limited time. */
@FunctionalInterface
public interface Resource {
  /**
   * The answer to a request.
   *
   * @throws StatusException if there is none: its code becomes the HTTP status
   */
  Answer get(WebRequest request);
}
