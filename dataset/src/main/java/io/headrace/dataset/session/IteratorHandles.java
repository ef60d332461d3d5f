package io.headrace.dataset.session;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** How tensors stand for iterators. */
final class IteratorHandles {
  private static final String TYPE_NAME = "tensorflow::data::IteratorResource";
  private static final AtomicLong NUMBERS = new AtomicLong();

  /** Deletes iterators without a name when no tensor stands for them any more. */
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("iterator-cleaner").factory());

  private IteratorHandles() {}

  /** What a tensor holds that stands for an iterator without a name. */
  private record Anonymous(SessionIterator iterator) {}

  /** A name that no other iterator has. */
  static String uniqueName(String node) {
    return "_" + NUMBERS.getAndIncrement() + "_" + node;
  }

  /** A handle of {@code iterator}, which nobody finds by name, and is deleted with its handles. */
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

  /** The iterator that {@code handle} stands for; INVALID_ARGUMENT if that is none. */
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
    throw StatusException.invalidArgument("%s is no handle of an iterator", handle);
  }

  /** The dataset that {@code variant} holds; INVALID_ARGUMENT if it holds none. */
  static DatasetValue dataset(Tensor variant) {
    if (variant.dtype() == DataType.VARIANT
        && variant.elements() == 1
        && variant.reference(0) instanceof DatasetValue dataset) {
      return dataset;
    }
    throw StatusException.invalidArgument("%s is no dataset", variant);
  }

  /** What finds {@code iterator} again on the device of {@code call}. */
  static Tensor text(SessionIterator iterator, KernelCall call) {
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
   * The iterator that {@link #text} was made of.
   *
   * @throws StatusException INVALID_ARGUMENT if it is no such text, of another device, or its
   *     elements are not as {@code types} says; NOT_FOUND if it was deleted
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
      // said below
    }
    throw StatusException.invalidArgument(
        "Could not parse string_handle as a valid ResourceHandle");
  }
}
