/**
 * Lookup tables. {@code LookupTable} is the resource behind a handle, {@code TableContents} its
 * keys and values; {@code TextFileTable} fills a table from a file. Begin with {@code
 * HashTableOps}, which creates tables, and {@code LookupTableOps}, which uses them.
 */
@NullMarked
package io.headrace.kernels.table;

import org.jspecify.annotations.NullMarked;
