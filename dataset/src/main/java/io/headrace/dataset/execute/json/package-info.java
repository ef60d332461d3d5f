/** Decodes JSON records into tensors. */
@NullMarked
package io.headrace.dataset.execute.json;

import org.jspecify.annotations.NullMarked;
