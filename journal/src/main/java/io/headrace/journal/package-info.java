/**
 * The dispatcher's journal: a durable log of records with atomic batches, group commit, compaction
 * and epochs. {@link io.headrace.journal.Journal} is the contract. {@link
 * io.headrace.journal.RocksDbJournal} keeps the log on a local disk, {@link
 * io.headrace.journal.GcsJournal} in a bucket of Google Cloud Storage, {@link
 * io.headrace.journal.InMemoryJournal} in memory; {@link io.headrace.journal.FaultInjectingJournal}
 * is for tests. Begin with {@link io.headrace.journal.Journal}.
 */
@NullMarked
package io.headrace.journal;

import org.jspecify.annotations.NullMarked;
