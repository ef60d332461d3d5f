/** Runs a graph or a function: row by row, or over whole columns. */
@NullMarked
package io.headrace.runtime.execute;

import org.jspecify.annotations.NullMarked;
