package io.headrace.runtime.device;

import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;

/** The errors for resource handles that are not those of the resource an op needs. */
public final class WrongHandle {
  private WrongHandle() {}

  /**
   * The error for {@code handle} where a {@code kind}, such as "queue", is needed: NOT_FOUND if it
   * is a constant that a client wrote, whose resource is in the client's process; INVALID_ARGUMENT
   * otherwise.
   */
  public static StatusException of(Tensor handle, String kind) {
    if (handle.dtype() == DataType.RESOURCE
        && handle.elements() == 1
        && handle.reference(0) instanceof ResourceHandleProto written) {
      return StatusException.of(
          StatusCode.NOT_FOUND,
          "Container %s does not exist. (Could not find resource: %s/%s) The %s is in the process"
              + " that made the graph, and its handle does not take it to others: make it part of"
              + " the dataset, or compute what it gives before the dataset is registered",
          written.getContainer(),
          written.getContainer(),
          written.getName(),
          kind);
    }
    return StatusException.invalidArgument(
        "the handle must be that of one %s, and is %s", kind, handle.typeAndShape());
  }
}
