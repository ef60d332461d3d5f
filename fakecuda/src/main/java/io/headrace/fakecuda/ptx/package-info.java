/** The text of PTX modules, read into records; the PTX ISA is the format's reference. */
@NullMarked
package io.headrace.fakecuda.ptx;

import org.jspecify.annotations.NullMarked;
