/** Small programs, each runnable by one command. */
@NullMarked
package io.headrace.examples;

import org.jspecify.annotations.NullMarked;
