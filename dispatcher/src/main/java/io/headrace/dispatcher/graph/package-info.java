/**
 * Static analysis of dataset graphs for the dispatcher: fingerprints, the ops in use, the row
 * order, and the split sources, for which alone parts of graphs run ({@link
 * io.headrace.dispatcher.graph.SourceEvaluation}). Nothing here reads elements. Begin with {@link
 * io.headrace.dispatcher.graph.PreparedDataset}, the result of a registration, then {@link
 * io.headrace.dispatcher.graph.SplitSourceFinder}.
 */
@NullMarked
package io.headrace.dispatcher.graph;

import org.jspecify.annotations.NullMarked;
