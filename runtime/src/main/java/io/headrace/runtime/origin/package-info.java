/**
 * The provenance of rows: {@link io.headrace.runtime.origin.Origins} names the source records of a
 * chunk's rows, and {@link io.headrace.runtime.origin.RecordSet} is a compact set of such records,
 * by which delivered data is accounted for. Begin with {@code Origins}.
 */
@NullMarked
package io.headrace.runtime.origin;

import org.jspecify.annotations.NullMarked;
