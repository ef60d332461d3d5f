package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/** Elementwise kernels of strings. */
public final class StringConcat {
  /** Concatenates the strings of two inputs, which broadcast. */
  public static final IndexedBroadcastKernel JOIN =
      new IndexedBroadcastKernel(DataType.STRING, StringConcat::join);

  private StringConcat() {}

  private static void join(Tensor[] inputs, int[][] at, Object out, int count) {
    byte[][] x = (byte[][]) TensorMemory.array(inputs[0]);
    byte[][] y = (byte[][]) TensorMemory.array(inputs[1]);
    byte[][] joined = (byte[][]) out;
    for (int i = 0; i < count; i++) {
      byte[] head = x[at[0][i]];
      byte[] tail = y[at[1][i]];
      joined[i] = new byte[head.length + tail.length];
      System.arraycopy(head, 0, joined[i], 0, head.length);
      System.arraycopy(tail, 0, joined[i], head.length, tail.length);
    }
  }
}
