/**
 * The client of the tf.data service. {@link io.headrace.client.DataService} registers datasets and
 * makes datasets that read them. A pass is a {@code ServiceIterator}: it joins an iteration ({@code
 * IterationJoin}), watches its tasks ({@code IterationWatch}) and reads each with a {@code
 * TaskReader}. {@code Receipts} and {@code DeliveryLease} give exactly-once delivery, {@link
 * io.headrace.client.Resumption} and {@code CopyProgress} resume from checkpoints. Begin with
 * {@code DataService} and {@code ServiceIterator}.
 */
@NullMarked
package io.headrace.client;

import org.jspecify.annotations.NullMarked;
