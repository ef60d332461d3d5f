/**
 * What the dispatcher reads in a dataset's graph without running it: fingerprints, the ops in use,
 * whether its rows come in a fixed order, its sources' splits. Begin with {@link
 * io.headrace.dispatcher.graph.PreparedDataset}.
 */
@NullMarked
package io.headrace.dispatcher.graph;

import org.jspecify.annotations.NullMarked;
