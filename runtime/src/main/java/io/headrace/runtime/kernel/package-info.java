/** CPU kernels, a file a family. */
@NullMarked
package io.headrace.runtime.kernel;

import org.jspecify.annotations.NullMarked;
