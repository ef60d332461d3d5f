/** The headrace command. */
@NullMarked
package io.headrace.cli;

import org.jspecify.annotations.NullMarked;
