/** Op declarations: name, attrs, dtypes, shape rule, statefulness and kernel, each in one place. */
@NullMarked
package io.headrace.runtime.op;

import org.jspecify.annotations.NullMarked;
