package io.headrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TrainerTest {
  private static final Tensor IMAGES =
      Tensor.wrap(DataType.FLOAT32, Shape.of(2, 28, 28), new float[2 * 28 * 28]);
  private static final Tensor LABELS = Tensor.vector(3, 3);

  private final LocalTaskCluster tasks =
      LocalTaskCluster.startHere(
          LocalTaskCluster.cluster(Map.of("ps", 1, "worker", 2)), WorkerGpus.NONE);
  private final AtomicLong nanos = new AtomicLong();
  private final Ticker second = () -> nanos.getAndAdd(Duration.ofSeconds(1).toNanos());

  @AfterEach
  void stop() {
    tasks.close();
  }

  private Trainer trainer(int task) {
    return new Trainer(tasks.targets("worker").get(task), new ClassifierGraph(task, 0.5f));
  }

  @Test
  void awaitInitialized_endsWhenTheChiefHas_orAfterItsLimit() {
    try (Trainer chief = trainer(0);
        Trainer other = trainer(1)) {
      assertThatThrownBy(() -> other.awaitInitialized(Duration.ofSeconds(3), second))
          .extracting(StatusException::codeOf)
          .isEqualTo(StatusCode.DEADLINE_EXCEEDED);

      chief.initialize();
      other.awaitInitialized(Duration.ZERO, second);
    }
  }

  @Test
  void trainers_shareTheParametersAndTheGlobalStep() {
    try (Trainer chief = trainer(0);
        Trainer other = trainer(1)) {
      chief.initialize();
      Trainer.Step first = chief.learn(IMAGES, LABELS);
      Trainer.Step second = other.learn(IMAGES, LABELS);

      assertThat(first.globalStep()).isEqualTo(1);
      assertThat(second.globalStep()).isEqualTo(2);
      assertThat(second.loss()).isLessThan(first.loss());
      assertThat(chief.classify(IMAGES, LABELS)).isEqualTo(2);
    }
  }
}
