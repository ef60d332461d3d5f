/** Device names, specs and the CPU device. */
@NullMarked
package io.headrace.runtime.device;

import org.jspecify.annotations.NullMarked;
