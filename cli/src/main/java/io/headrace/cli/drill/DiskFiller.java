package io.headrace.cli.drill;

import io.headrace.client.DataService;
import io.headrace.dataset.Dataset;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.lang.System.Logger.Level;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Registers datasets with a dispatcher until its disk is full: even on a full disk, files may have
 * room in blocks reserved earlier.
 */
final class DiskFiller {
  private static final System.Logger LOGGER = System.getLogger(DiskFiller.class.getName());
  private static final int DATASET_BYTES = 256 << 10;
  private static final int MAX_DATASETS = 256;
  private static final long ANSWER_SECONDS = 1;

  private DiskFiller() {}

  /**
   * Returns once the dispatcher has not answered for a second. FAILED_PRECONDITION if the disk does
   * not fill up.
   *
   * @return the number of bytes stored
   */
  static long run(String target) throws InterruptedException {
    Semaphore answers = new Semaphore(0);
    Thread registering =
        Thread.ofPlatform().daemon().name("flood").start(() -> register(target, answers));
    for (long stored = 0; stored < MAX_DATASETS; stored++) {
      if (!answers.tryAcquire(ANSWER_SECONDS, TimeUnit.SECONDS)) {
        registering.interrupt();
        return stored * DATASET_BYTES;
      }
    }
    throw StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "the disk is not full: the dispatcher has stored %d bytes since",
        (long) MAX_DATASETS * DATASET_BYTES);
  }

  private static void register(String target, Semaphore answers) {
    try {
      for (int i = 0; i < MAX_DATASETS; i++) {
        Tensor large = Tensor.scalar(i + "x".repeat(DATASET_BYTES));
        DataService.registerDataset(target, Dataset.tensors(large));
        answers.release();
      }
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, "the last dataset was not registered", e);
    }
  }
}
