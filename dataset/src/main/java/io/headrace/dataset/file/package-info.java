/**
 * Record files on local disks: opening, decompression, matching of patterns, and the formats.
 * {@code FileBytes} reads and decompresses blocks; {@code TfRecords}, {@code TextLines}, {@code
 * FixedLengthRecords} and {@code CsvRecords} split them into records; {@code SqliteRows} reads the
 * rows of a database. Begin with {@link io.headrace.dataset.file.RecordReader}.
 */
@NullMarked
package io.headrace.dataset.file;

import org.jspecify.annotations.NullMarked;
