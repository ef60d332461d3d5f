package io.headrace.runtime.op;

/**
 * A way in which an op reaches beyond its inputs, its outputs and the resources of its step. A
 * process that evaluates graphs of others decides by it which ops it runs. An op that makes
 * something that touches later (a dataset of files, a reader) declares it too.
 */
public enum Touch {
  /** Reads files, or lists folders. */
  READS_FILES("reads files"),
  /** Creates, changes or deletes files. */
  WRITES_FILES("writes files"),
  /** Makes a dataset that writes files when it is read, and not before. */
  PASSES_WRITE_FILES("makes a dataset that writes files when it is read"),
  /** Writes to the log, or to the standard output or error of its process. */
  OUTPUT("prints"),
  /** Talks to another process. */
  NETWORK("talks to other processes"),
  /** Reads elements of a dataset, and so touches all that the dataset's functions touch. */
  ELEMENTS("reads elements of a dataset");

  private final String verb;

  Touch(String verb) {
    this.verb = verb;
  }

  /** The predicate of a sentence about the op, for messages: "writes files". */
  public String verb() {
    return verb;
  }
}
