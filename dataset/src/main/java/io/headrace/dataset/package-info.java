/** The Dataset API and its execution. */
@NullMarked
package io.headrace.dataset;

import org.jspecify.annotations.NullMarked;
