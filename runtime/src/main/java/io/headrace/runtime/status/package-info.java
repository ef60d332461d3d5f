/** One exception and TensorFlow's status codes: what every failure of the system is reported as. */
@NullMarked
package io.headrace.runtime.status;

import org.jspecify.annotations.NullMarked;
