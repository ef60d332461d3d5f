/** Files of records: how they are opened, uncompressed, found by pattern and cut into records. */
@NullMarked
package io.headrace.dataset.file;

import org.jspecify.annotations.NullMarked;
