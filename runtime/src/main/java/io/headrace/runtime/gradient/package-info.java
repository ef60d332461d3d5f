/** Derivatives of graphs: nodes that compute how a sum changes with what it was computed from. */
@NullMarked
package io.headrace.runtime.gradient;

import org.jspecify.annotations.NullMarked;
