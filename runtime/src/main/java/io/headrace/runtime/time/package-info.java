/** Clocks, passed to the classes that need one so that tests control time. */
@NullMarked
package io.headrace.runtime.time;

import org.jspecify.annotations.NullMarked;
