package io.headrace.dispatcher.statistics;

import io.headrace.proto.headrace.PeerKind;
import java.util.OptionalDouble;

/**
 * The load of a reader.
 *
 * @param id the iteration client
 * @param kind whose client it is
 * @param host its host; empty until it has called
 * @param elementsPerSecond the elements that its user takes; only Java readers tell
 * @param waitShare the share of the time that its user waits for them; only Java readers tell
 */
public record ReaderLoad(
    long id,
    PeerKind kind,
    String host,
    OptionalDouble elementsPerSecond,
    OptionalDouble waitShare) {}
