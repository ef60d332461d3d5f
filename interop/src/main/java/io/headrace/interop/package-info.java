/** Tests against stock TensorFlow processes. */
@NullMarked
package io.headrace.interop;

import org.jspecify.annotations.NullMarked;
