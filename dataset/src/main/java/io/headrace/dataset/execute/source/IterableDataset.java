package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.ResourceHandleProto;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an {@link Iterable} of this process, by an op of Headrace's own. The graph refers
 * to the iterable by a resource handle, which finds it while the {@link Source} is strongly
 * reachable.
 *
 * @param elements the elements, each the tensors of its components
 * @param spec the declared dtypes and shapes, which the elements are checked against
 */
public record IterableDataset(Iterable<List<Tensor>> elements, ElementSpec spec)
    implements DatasetValue {
  /** The name of the op. */
  public static final String NAME = "HeadraceIterableDataset";

  /** Takes the handle of a {@link Source}. */
  public static final Op OP =
      DatasetOp.typed(NAME + "(iterable: resource)")
          .remark("The elements of a Java Iterable of the same process.")
          .kernel(DatasetKernel.making(IterableDataset::of));

  /** The most rows of a chunk. */
  private static final int MAX_ROWS = 1024;

  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Map<String, WeakReference<Source>> BY_NAME = new ConcurrentHashMap<>();

  /** An iterable that graphs of this process can refer to. */
  public static final class Source {
    private final String name = "headrace-iterable-" + NUMBERS.incrementAndGet();
    private final Iterable<List<Tensor>> elements;

    private Source(Iterable<List<Tensor>> elements) {
      this.elements = elements;
    }

    /** Makes {@code elements} known while the result is strongly reachable. */
    public static Source of(Iterable<List<Tensor>> elements) {
      BY_NAME.values().removeIf(held -> held.get() == null);
      Source source = new Source(elements);
      BY_NAME.put(source.name, new WeakReference<>(source));
      return source;
    }

    /** The scalar resource that stands for it in graphs. */
    public Tensor handle() {
      return Tensor.resource(ResourceHandleProto.newBuilder().setName(name).build());
    }
  }

  /**
   * Refuses graphs that read an iterable, which another process can't.
   *
   * @throws StatusException INVALID_ARGUMENT if there is one
   */
  public static void checkAbsent(GraphDef graph) {
    Stream<NodeDef> nodes =
        Stream.concat(
            graph.getNodeList().stream(),
            graph.getLibrary().getFunctionList().stream()
                .flatMap(function -> function.getNodeDefList().stream()));
    if (nodes.anyMatch(node -> node.getOp().equals(NAME))) {
      throw StatusException.invalidArgument(
          "a dataset from an Iterable is read in the process of its objects, and workers are other"
              + " processes: distribute a dataset of files, or of tensors (Dataset.tensorSlices),"
              + " or distribute first and join the Iterable's elements behind that (Dataset.zip)");
    }
  }

  private static IterableDataset of(OpArguments in) {
    Tensor handle = in.tensor("iterable");
    if (handle.dtype() == DataType.RESOURCE
        && handle.elements() == 1
        && handle.reference(0) instanceof ResourceHandleProto proto) {
      WeakReference<Source> held = BY_NAME.get(proto.getName());
      Source found = held == null ? null : held.get();
      if (found != null) {
        return new IterableDataset(found.elements, in.spec());
      }
    }
    throw new StatusException(
        StatusCode.FAILED_PRECONDITION,
        in.where() + ": the Iterable of this dataset is in another process, or was collected");
  }

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    return elements instanceof Collection<?> all ? all.size() : UNKNOWN;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    // The elements of a collection are there, so that many can be taken without waiting.
    return new Rows(elements instanceof Collection<?> ? MAX_ROWS : 1);
  }

  private final class Rows implements ChunkIterator {
    private final int mostRows;
    private @Nullable Iterator<List<Tensor>> rows;
    private @Nullable StatusException failure;
    private volatile boolean closed;

    Rows(int mostRows) {
      this.mostRows = mostRows;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      StatusException failed = failure;
      if (failed != null) {
        failure = null;
        throw failed;
      }
      List<Chunk> taken = new ArrayList<>();
      while (!closed && taken.size() < Math.min(maxRows, mostRows)) {
        try {
          List<Tensor> row = nextRow();
          if (row == null) {
            break;
          }
          taken.add(Chunk.ofElement(checked(row)));
        } catch (StatusException e) {
          if (taken.isEmpty()) {
            throw e;
          }
          failure = e;
          break;
        }
      }
      return taken.isEmpty() ? null : Chunk.concat(taken);
    }

    private @Nullable List<Tensor> nextRow() {
      try {
        Iterator<List<Tensor>> current = rows;
        if (current == null) {
          current = elements.iterator();
          rows = current;
        }
        return current.hasNext() ? current.next() : null;
      } catch (StatusException e) {
        throw e;
      } catch (RuntimeException e) {
        // Its state is not known any more: the pass ends behind the error.
        closed = true;
        throw new StatusException(StatusCode.UNKNOWN, "the Iterable of a dataset failed: " + e, e)
            .in(spec.node());
      }
    }

    private List<Tensor> checked(List<Tensor> row) {
      if (row.size() != spec.types().size()) {
        throw spec.error(
            StatusCode.INVALID_ARGUMENT,
            "an element must have %d components, and has %d",
            spec.types().size(),
            row.size());
      }
      for (int i = 0; i < row.size(); i++) {
        Tensor component = row.get(i);
        if (component.dtype() != spec.types().get(i)
            || !spec.shapes().get(i).isCompatibleWith(component.shape())) {
          throw spec.error(
              StatusCode.INVALID_ARGUMENT,
              "component %d must be %s%s, and is %s",
              i,
              spec.types().get(i).tfName(),
              spec.shapes().get(i),
              component.typeAndShape());
        }
      }
      return row;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
