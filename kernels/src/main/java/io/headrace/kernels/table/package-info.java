/**
 * Look-up tables: {@code LookupTable} is what a handle holds, {@code TableContents} its keys and
 * values, {@code TextFileTable} fills one from a file. Begin with {@code LookupTableOps}.
 */
@NullMarked
package io.headrace.kernels.table;

import org.jspecify.annotations.NullMarked;
