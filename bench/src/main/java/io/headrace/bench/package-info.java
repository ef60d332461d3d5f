/** Benchmarks, each beside its peer in one run. */
@NullMarked
package io.headrace.bench;

import org.jspecify.annotations.NullMarked;
