package io.headrace.dispatcher.decide;

import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.List;
import java.util.function.Function;

/**
 * What a request comes to: the records that carry it out, none for a question, and the reply that
 * leaves once they are durable. Deciding changes nothing.
 */
public record Decision<R>(List<JournalRecord> records, R reply) {
  public Decision {
    records = List.copyOf(records);
  }

  public static <R> Decision<R> answer(R reply) {
    return new Decision<>(List.of(), reply);
  }

  /** The same with another reply. */
  public <S> Decision<S> map(Function<R, S> change) {
    return new Decision<>(records, change.apply(reply));
  }
}
