/**
 * The iterators of session graphs: ops on resources that hold a pass over a dataset. {@code
 * IteratorOps} declares them; a handle ({@code IteratorHandles}) refers to a {@code
 * SessionIterator}, which queues the callers and computes rows through a {@code DatasetPass}. Begin
 * with {@code SessionIterator}.
 */
@NullMarked
package io.headrace.dataset.session;

import org.jspecify.annotations.NullMarked;
