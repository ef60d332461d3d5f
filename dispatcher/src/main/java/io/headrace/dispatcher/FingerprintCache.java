package io.headrace.dispatcher;

import io.headrace.dispatcher.graph.DatasetFingerprint;
import io.headrace.dispatcher.state.RegisteredDataset;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The fingerprints of datasets that were asked for, while the dispatcher keeps the datasets.
 * Computing one takes time in proportion to the dataset's graph. Thread-safe.
 */
final class FingerprintCache {
  private final Map<RegisteredDataset, String> known =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** The fingerprint of a dataset's graph, in hexadecimal. */
  String of(RegisteredDataset dataset) {
    return known.computeIfAbsent(dataset, made -> DatasetFingerprint.text(made.parseDef()));
  }
}
