package io.headrace.dispatcher.statistics;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The limit of a job.
 *
 * @param code the kind of limit
 * @param text one sentence, with its numbers
 * @param advice what to do about it; empty if there is nothing to do
 * @param waitShare the share of the time that readers wait; empty if nobody tells
 * @param stage the stage at fault, if it is one
 * @param worker the worker at fault, if it is one
 * @param reader the reader at fault, if it is one
 */
public record Verdict(
    Code code,
    String text,
    String advice,
    OptionalDouble waitShare,
    Optional<String> stage,
    Optional<String> worker,
    OptionalLong reader) {
  /** The kinds of limits. Their {@link #text} is part of the protocol. */
  public enum Code {
    /** The iteration was read to its end. */
    FINISHED,
    /** Nobody reads. */
    NO_READER,
    /** No worker is registered, or none answers. */
    NO_WORKER,
    /** No worker has a task of the iteration yet. */
    NO_TASK,
    /** Readers of a group have not joined yet, and the others wait for them. */
    GROUP,
    /** The peers have not reported enough yet. */
    MEASURING,
    /** Nobody tells: readers, workers or both are TensorFlow's own. */
    UNKNOWN,
    /** Readers do not wait: they take elements as slowly as they use them. */
    TRAINER,
    /** Changes become durable too slowly. */
    JOURNAL,
    /** One worker is still at work on its last split. */
    ONE_SPLIT,
    /** A worker is slower than the others. */
    SLOW_WORKER,
    /** Elements that workers have ready reach a reader too slowly. */
    NETWORK,
    /** A filter drops nearly all that was made for it. */
    FILTER,
    /** A buffer is full and empty by turns. */
    BUFFER,
    /** A source. */
    SOURCE,
    /** A transformation. */
    STAGE,
    /** Readers wait, and no stage works. */
    UNCLEAR;

    /** The code as the protocol has it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Verdict of(Code code, OptionalDouble waitShare, String text, String advice) {
    return new Verdict(
        code, text, advice, waitShare, Optional.empty(), Optional.empty(), OptionalLong.empty());
  }

  Verdict at(StageLoad of) {
    return new Verdict(code, text, advice, waitShare, Optional.of(of.text()), worker, reader);
  }

  Verdict on(String address) {
    return new Verdict(code, text, advice, waitShare, stage, Optional.of(address), reader);
  }

  Verdict to(long client) {
    return new Verdict(code, text, advice, waitShare, stage, worker, OptionalLong.of(client));
  }
}
