/** The clock, handed in: nobody else asks the system for the time. */
@NullMarked
package io.headrace.runtime.time;

import org.jspecify.annotations.NullMarked;
