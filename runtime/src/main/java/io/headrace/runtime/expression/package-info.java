/** Scalar expressions, and the loops that are generated from them. */
@NullMarked
package io.headrace.runtime.expression;

import org.jspecify.annotations.NullMarked;
