/** Event files, which TensorBoard shows, and what is in them. */
@NullMarked
package io.headrace.runtime.summary;

import org.jspecify.annotations.NullMarked;
