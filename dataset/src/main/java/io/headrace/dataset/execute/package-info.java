/** How datasets run: their values, iterators, file formats, and what surrounds an iteration. */
@NullMarked
package io.headrace.dataset.execute;

import org.jspecify.annotations.NullMarked;
