/** Iterators in the graphs of sessions: ops on resources that hold a pass over a dataset. */
@NullMarked
package io.headrace.dataset.session;

import org.jspecify.annotations.NullMarked;
