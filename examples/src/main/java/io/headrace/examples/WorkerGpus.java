package io.headrace.examples;

import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.execute.Accelerator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The GPUs on which the workers of an example compute. Each server of job worker offers one, as its
 * {@code /device:GPU:0}; several share one, if there are fewer GPUs than workers. Immutable.
 *
 * @param names the GPUs as {@code headrace server --devices} takes them, such as {@code gpu:0}; the
 *     first is for task 0, and so on in turn; empty if the workers compute on CPUs
 * @param opener opens the GPU of a name by a server's session config; only for servers of this
 *     process, which close what it returns
 */
public record WorkerGpus(
    List<String> names, BiFunction<String, ConfigProto, List<Accelerator>> opener) {
  /** No GPUs: the workers compute on CPUs. */
  public static final WorkerGpus NONE = new WorkerGpus(List.of(), (_, _) -> List.of());

  /** How servers take a GPU's memory: as they need it, since others have a part of it. */
  static final ConfigProto SHARED = shared();

  /** Copies the list. */
  public WorkerGpus {
    names = List.copyOf(names);
  }

  private static ConfigProto shared() {
    ConfigProto.Builder config = ConfigProto.newBuilder();
    config.getGpuOptionsBuilder().setAllowGrowth(true);
    return config.build();
  }

  /** The name of the GPU of the worker {@code task}, if it has one. */
  Optional<String> name(int task) {
    return names.isEmpty() ? Optional.empty() : Optional.of(names.get(task % names.size()));
  }

  /** The device on which the worker {@code task} computes. */
  String device(int task) {
    return "/job:worker/task:" + task + (names.isEmpty() ? "" : "/device:GPU:0");
  }
}
