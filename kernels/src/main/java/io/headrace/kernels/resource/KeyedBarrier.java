package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.kernels.variant.TensorList;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A barrier, the resource behind the handle of a Barrier op: elements by key whose components
 * arrive separately. An element can be taken once it is complete. Thread-safe.
 */
final class KeyedBarrier {
  /** An element. Keys are byte strings, held as Latin-1. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Element(String key, long index, @Nullable Tensor[] components) {
    boolean isComplete() {
      for (Tensor component : components) {
        if (component == null) {
          return false;
        }
      }
      return true;
    }
  }

  private final String name;
  private final List<DataType> types;
  private final List<Shape> shapes;
  private final AsyncMonitor monitor = new AsyncMonitor(1);
  private final Map<String, Element> incomplete = new HashMap<>();

  /** Complete elements, in the order in which their keys first arrived. */
  private final Deque<Element> ready = new ArrayDeque<>();

  private long nextIndex = Long.MIN_VALUE;
  private boolean isClosed;
  private boolean isCancelled;

  KeyedBarrier(String name, List<DataType> types, List<Shape> shapes) {
    this.name = name;
    this.types = types;
    this.shapes = shapes;
  }

  /** The barrier of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static KeyedBarrier of(Tensor handle) {
    if (handle.elements() == 1
        && handle.dtype() == DataType.RESOURCE
        && handle.reference(0) instanceof KeyedBarrier barrier) {
      return barrier;
    }
    throw WrongHandle.of(handle, "barrier");
  }

  String name() {
    return name;
  }

  List<DataType> types() {
    return types;
  }

  List<Shape> shapes() {
    return shapes;
  }

  int readySize() {
    return monitor.read(ready::size);
  }

  int incompleteSize() {
    return monitor.read(incomplete::size);
  }

  /**
   * Inserts a component of several elements. CANCELLED if the barrier is closed and a key is new;
   * INVALID_ARGUMENT if an element already has the component.
   */
  void insert(int component, Tensor keys, Tensor values) {
    if (keys.elements() > 0 && values.elements() == 0) {
      throw invalidArgument(
          "Tensors with no elements are not supported %s: received shape %s", name, values.shape());
    }
    monitor.change(() -> {
      int count = keys.elements();
      if (isClosed && (isCancelled || (count > 0 && incomplete.isEmpty()))) {
        throw StatusException.of(
            StatusCode.CANCELLED,
            "Barrier %s is closed.  Pending enqueues cancelled: %d.  Number of new insertions: %d."
                + "  Number of incomplete keys: %d.",
            name,
            isCancelled ? 1 : 0,
            count,
            incomplete.size());
      }
      long index = nextIndex;
      for (int i = 0; i < count; i++) {
        insert(
            component, new String(keys.string(i), StandardCharsets.ISO_8859_1), index, i, values);
      }
    });
  }

  private void insert(int component, String key, long index, int row, Tensor values) {
    Element element = incomplete.get(key);
    if (element == null) {
      if (isClosed) {
        throw StatusException.of(
            StatusCode.CANCELLED,
            "Barrier %s is closed, but attempted to insert a brand new key: %s.  Pending enqueues"
                + " cancelled: %d.  Insertion index: %d.  Number of incomplete keys: %d.",
            name,
            key,
            isCancelled ? 1 : 0,
            row,
            incomplete.size());
      }
      element = new Element(key, index, new Tensor[types.size()]);
      incomplete.put(key, element);
      nextIndex = index + 1;
    }
    if (element.components()[component] != null) {
      throw invalidArgument(
          "Key %s already has a value for component %d in barrier %s", key, component, name);
    }
    element.components()[component] = values.row(row).detach();
    if (element.isComplete()) {
      incomplete.remove(key);
      addReady(element);
    }
  }

  private void addReady(Element element) {
    for (int i = 0; i < shapes.size(); i++) {
      Tensor component = element.components()[i];
      if (component != null && !component.shape().equals(shapes.get(i))) {
        throw invalidArgument(
            "Shape mismatch in tuple component %d. Expected %s, got %s",
            i + 2, shapes.get(i), component.shape());
      }
    }
    Deque<Element> behind = new ArrayDeque<>();
    while (!ready.isEmpty() && ready.getLast().index() > element.index()) {
      behind.push(ready.removeLast());
    }
    ready.addLast(element);
    ready.addAll(behind);
  }

  /**
   * Takes {@code count} complete elements once that many are ready: their indices, keys and
   * components. If the barrier is closed and that many cannot become ready, takes the ready ones if
   * {@code allowsLess}; otherwise OUT_OF_RANGE.
   */
  CompletableFuture<List<Tensor>> take(int count, boolean allowsLess, Cancellation cancellation) {
    return monitor.begin(0, "Dequeue", new Take(count, allowsLess), cancellation);
  }

  private final class Take implements Attempt {
    private final boolean allowsLess;
    private final List<Element> taken = new ArrayList<>();
    private int wanted;
    private boolean isBegun;

    Take(int wanted, boolean allowsLess) {
      this.wanted = wanted;
      this.allowsLess = allowsLess;
    }

    @Override
    public Progress proceed() {
      if (!isBegun && isClosed) {
        begin();
      }
      isBegun = true;
      if (ready.size() < wanted) {
        if (!isClosed || !incomplete.isEmpty()) {
          return Progress.NONE;
        }
        if (!allowsLess || ready.isEmpty()) {
          throw StatusException.of(
              StatusCode.OUT_OF_RANGE,
              "PriorityQueue '%s_queue' is closed and has insufficient elements (requested %d,"
                  + " current size %d)",
              name,
              wanted,
              ready.size());
        }
        wanted = ready.size();
      }
      for (int i = 0; i < wanted; i++) {
        taken.add(ready.removeFirst());
      }
      return Progress.DONE;
    }

    private void begin() {
      int available = ready.size() + (allowsLess ? 0 : incomplete.size());
      wanted = allowsLess ? Math.min(wanted, available) : wanted;
      if (available < Math.max(wanted, 1)) {
        throw StatusException.of(
            StatusCode.OUT_OF_RANGE,
            "Barrier '%s' is closed and has insufficient elements (requested %d, total size %d)",
            name,
            wanted,
            available);
      }
    }

    @Override
    public List<Tensor> outputs() {
      int count = taken.size();
      long[] indices = new long[count];
      byte[][] keys = new byte[count][];
      for (int i = 0; i < count; i++) {
        indices[i] = taken.get(i).index();
        keys[i] = taken.get(i).key().getBytes(StandardCharsets.ISO_8859_1);
      }
      List<Tensor> outputs = new ArrayList<>();
      outputs.add(Tensor.vector(indices));
      outputs.add(Tensor.wrap(DataType.STRING, Shape.of(count), keys));
      for (int i = 0; i < types.size(); i++) {
        outputs.add(component(i));
      }
      return outputs;
    }

    private Tensor component(int index) {
      if (taken.isEmpty()) {
        return TensorList.zeros(types.get(index), shapes.get(index).prepend(0));
      }
      List<Tensor> rows = new ArrayList<>();
      for (Element element : taken) {
        Tensor component = element.components()[index];
        if (component == null) {
          throw new IllegalStateException("an element that is not complete was taken");
        }
        rows.add(component);
      }
      return Column.stackRows(rows);
    }
  }

  /**
   * Closes the barrier to new keys; with {@code cancels}, also drops incomplete elements. CANCELLED
   * if the barrier is already closed, unless this call adds the cancellation.
   */
  void close(boolean cancels) {
    monitor.change(() -> {
      if (isClosed && (isCancelled || !cancels)) {
        throw StatusException.of(StatusCode.CANCELLED, "Barrier '%s' is already closed.", name);
      }
      isClosed = true;
      isCancelled = cancels;
      if (cancels) {
        incomplete.clear();
      }
    });
  }
}
