package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A flat map that can be read in any order: an index function says which element of the input, and
 * which slice of what {@code function} makes of it, is the element of each index.
 *
 * <p>Read in order, the input's elements come one after the other, as TensorFlow reads them: the
 * next one when the index function names a later element.
 *
 * @param declared the number of elements, as the user declares it
 * @param selected the indices of the elements to read; null for all, in order
 */
public record IndexFlatMapDataset(
    DatasetValue input,
    CapturedFunction function,
    CapturedFunction indexFunction,
    long declared,
    ElementSpec spec,
    @Nullable RowIndices selected)
    implements FunctionDataset {
  public static final Op OP =
      DatasetOp.of(
          "IndexFlatMapDataset(input_dataset: variant, map_func_other_args: [Tmap_func_args],"
              + " index_map_func_other_args: [Tindex_map_func_args], output_cardinality: int64)",
          in ->
              new IndexFlatMapDataset(
                  in.dataset("input_dataset"),
                  in.function("map_func", "map_func_other_args"),
                  in.function("index_map_func", "index_map_func_other_args"),
                  in.integer("output_cardinality"),
                  in.spec(),
                  null),
          "map_func: func",
          "index_map_func: func",
          "Tmap_func_args: list(type)",
          "Tindex_map_func_args: list(type)");

  private static final Set<DataType> INDEX_TYPES =
      Set.of(DataType.INT32, DataType.INT64, DataType.UINT32, DataType.UINT64);

  /** An element of the input, and a slice of what the function makes of it. */
  private record Place(long element, long offset) {}

  @Override
  public long cardinality() {
    return selected == null ? declared : UNKNOWN;
  }

  @Override
  public boolean touchesResources() {
    return indexFunction.touchesResources() || FunctionDataset.super.touchesResources();
  }

  @Override
  public boolean changesResources() {
    return indexFunction.changesResources() || FunctionDataset.super.changesResources();
  }

  @Override
  public DatasetValue select(RowIndices rows) {
    var _ = input.select(RowIndices.NONE); // throws at once if it cannot be read in any order
    return new IndexFlatMapDataset(input, function, indexFunction, declared, spec, rows);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "IndexFlatMapDataset",
        "its index function does not tell which slices of an element are left out");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    RowFunction index = indexFunction.open(context);
    if (selected == null) {
      return new InOrder(context.open(input), function.open(context), index);
    }
    DatasetValue elements = input.select(selected.map(row -> place(index, row).element()));
    return new Selected(context.open(elements), function.open(context), index, selected);
  }

  private Place place(RowFunction index, long row) {
    List<Tensor> found = index.call(List.of(Tensor.scalar(row)));
    if (found.size() != 2) {
      throw invalid(found);
    }
    return new Place(integer(found.getFirst(), found), integer(found.getLast(), found));
  }

  private long integer(Tensor value, List<Tensor> found) {
    if (!INDEX_TYPES.contains(value.dtype()) || value.shape().rank() != 0) {
      throw invalid(found);
    }
    return value.integer(0);
  }

  private static StatusException invalid(List<Tensor> found) {
    return StatusException.invalidArgument(
        "The `index_map_fn` for `index_flat_map` is expected to return two int values representing"
            + " the element index and an offset within the element. Got: %s",
        found);
  }

  /** Slice {@code offset} of each component; scalars as they are. */
  private static Chunk slice(List<Tensor> components, long offset) {
    List<Tensor> slices = new ArrayList<>();
    for (Tensor component : components) {
      if (component.shape().rank() == 0) {
        slices.add(component);
        continue;
      }
      if (offset < 0 || offset >= component.shape().size(0)) {
        throw StatusException.invalidArgument(
            "slice %d of an element of shape %s: it has slices 0 to %d",
            offset, component.shape(), component.shape().size(0) - 1);
      }
      slices.add(component.row((int) offset));
    }
    return Chunk.ofElement(slices);
  }

  private final class InOrder extends UnaryIterator {
    private final RowFunction map;
    private final RowFunction index;
    private long row;
    private long element;
    private @Nullable List<Tensor> current;

    InOrder(ChunkIterator input, RowFunction map, RowFunction index) {
      super(input);
      this.map = map;
      this.index = index;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      Place place = place(index, row);
      List<Tensor> components = current;
      if (components == null || place.element() > element) {
        current = null;
        Chunk next = input.next(1);
        if (next == null) {
          return null;
        }
        components = map.call(next.row(0));
        current = components;
        element = place.element();
      }
      row++;
      return slice(components, place.offset());
    }
  }

  private final class Selected extends UnaryIterator {
    private final RowFunction map;
    private final RowFunction index;
    private final PrimitiveIterator.OfLong rows;

    Selected(ChunkIterator input, RowFunction map, RowFunction index, RowIndices selected) {
      super(input);
      this.map = map;
      this.index = index;
      this.rows = selected.stream().iterator();
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (!rows.hasNext()) {
        return null;
      }
      Place place = place(index, rows.nextLong());
      Chunk element = input.next(1);
      return element == null ? null : slice(map.call(element.row(0)), place.offset());
    }
  }
}
