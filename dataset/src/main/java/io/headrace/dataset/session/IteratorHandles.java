package io.headrace.dataset.session;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** The tensors that refer to iterators: resource handles and string handles. */
final class IteratorHandles {
  private static final String TYPE_NAME = "tensorflow::data::IteratorResource";
  private static final AtomicLong NUMBERS = new AtomicLong();

  /** Deletes anonymous iterators once no tensor refers to them. */
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("iterator-cleaner").factory());

  private IteratorHandles() {}

  /** The content of an anonymous iterator's handle. */
  private record Anonymous(SessionIterator iterator) {}

  /** A name unique among iterators. */
  static String uniqueName(String node) {
    return "_" + NUMBERS.getAndIncrement() + "_" + node;
  }

  /** A handle of {@code iterator}, which is deleted when its handles are gone. */
  static Tensor anonymous(SessionIterator iterator, Resources resources) {
    Anonymous handle = new Anonymous(iterator);
    var _ = CLEANER.register(handle, () -> delete(iterator, resources));
    return Tensor.resource(handle);
  }

  /** Deletes {@code iterator}. Idempotent. */
  static void delete(SessionIterator iterator, Resources resources) {
    var _ = resources.remove(iterator);
    iterator.close();
  }

  /** The iterator of {@code handle}; INVALID_ARGUMENT if it is not an iterator's handle. */
  static SessionIterator iterator(Tensor handle) {
    if (handle.dtype() == DataType.RESOURCE && handle.elements() == 1) {
      Object held = handle.reference(0);
      if (held instanceof SessionIterator named) {
        return named;
      }
      if (held instanceof Anonymous anonymous) {
        return anonymous.iterator();
      }
    }
    throw WrongHandle.of(handle, "iterator");
  }

  /** The dataset in {@code variant}; INVALID_ARGUMENT if it holds none. */
  static DatasetValue dataset(Tensor variant) {
    if (variant.dtype() == DataType.VARIANT
        && variant.elements() == 1
        && variant.reference(0) instanceof DatasetValue dataset) {
      return dataset;
    }
    throw StatusException.invalidArgument("%s is no dataset", variant);
  }

  /** The string handle of {@code iterator} on the device of {@code call}. */
  static Tensor stringHandle(SessionIterator iterator, KernelCall call) {
    return Tensor.scalar(
        ResourceHandleProto.newBuilder()
            .setDevice(call.device().name())
            .setContainer(iterator.container())
            .setName(iterator.name())
            .setMaybeTypeName(TYPE_NAME)
            .build()
            .toByteArray());
  }

  /**
   * The iterator of a string handle.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code text} is not a string handle, is of another
   *     device, or its elements do not match {@code types}; NOT_FOUND if the iterator was deleted
   */
  static SessionIterator find(Tensor text, ElementTypes types, KernelCall call) {
    ResourceHandleProto handle = parse(text);
    if (!handle.getDevice().equals(call.device().name())) {
      throw StatusException.invalidArgument(
          "Attempted create an iterator on device \"%s\" from handle defined on device \"%s\"",
          call.device().name(), handle.getDevice());
    }
    SessionIterator found =
        call.resources().lookup(handle.getContainer(), handle.getName(), SessionIterator.class);
    found.types().check(types);
    return found;
  }

  private static ResourceHandleProto parse(Tensor text) {
    if (text.dtype() != DataType.STRING || text.shape().rank() != 0) {
      throw StatusException.invalidArgument("string_handle must be a scalar, and is %s", text);
    }
    try {
      ResourceHandleProto handle = ResourceHandleProto.parseFrom(text.string(0));
      if (!handle.getName().isEmpty()) {
        return handle;
      }
    } catch (InvalidProtocolBufferException _) {
      // reported below
    }
    throw StatusException.invalidArgument(
        "Could not parse string_handle as a valid ResourceHandle");
  }
}
