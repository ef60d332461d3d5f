package io.headrace.dispatcher.decide;

import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.List;
import java.util.function.Function;

/**
 * The outcome of a request: the records that carry it out, none for a read-only request, and the
 * reply, which leaves once the records are durable. Making a decision changes no state.
 */
public record Decision<R>(List<JournalRecord> records, R reply) {
  public Decision {
    records = List.copyOf(records);
  }

  public static <R> Decision<R> answer(R reply) {
    return new Decision<>(List.of(), reply);
  }

  /** This decision with another reply. */
  public <S> Decision<S> map(Function<R, S> change) {
    return new Decision<>(records, change.apply(reply));
  }
}
