/** A durable log of records. */
@NullMarked
package io.headrace.journal;

import org.jspecify.annotations.NullMarked;
