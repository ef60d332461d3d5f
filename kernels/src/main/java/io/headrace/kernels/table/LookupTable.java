package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lookup table, the resource behind the handle of a table op. Thread-safe. */
abstract sealed class LookupTable permits LookupTable.Fixed, LookupTable.Mutable {
  private final String name;
  private final DataType keyType;
  private final DataType valueType;
  private final Shape valueShape;

  private LookupTable(String name, DataType keyType, DataType valueType, Shape valueShape) {
    this.name = name;
    this.keyType = keyType;
    this.valueType = valueType;
    this.valueShape = valueShape;
  }

  /** The name, for messages. */
  final String name() {
    return name;
  }

  final DataType keyType() {
    return keyType;
  }

  final DataType valueType() {
    return valueType;
  }

  /** The shape of one value. */
  final Shape valueShape() {
    return valueShape;
  }

  final TableContents newContents() {
    return new TableContents(keyType, valueType, valueShape);
  }

  /** INVALID_ARGUMENT if {@code keys} contains a reserved key. */
  void checkKeys(Tensor keys) {}

  /** Applies {@code reader} to the contents, which do not change during the call. */
  abstract <T> T read(Function<TableContents, T> reader);

  /** Whether a find may pass a default per key; otherwise the first default applies to all keys. */
  abstract boolean hasDefaultForEach();

  abstract int size();

  /** Inserts keys with their values, replacing earlier values. */
  abstract void insert(Tensor keys, Tensor values);

  abstract void remove(Tensor keys);

  /** Replaces the whole contents by {@code keys} and {@code values}. */
  abstract void load(Tensor keys, Tensor values);

  /** A table that is initialized once (HashTable). */
  static final class Fixed extends LookupTable {
    private volatile @Nullable TableContents contents;

    Fixed(String name, DataType keyType, DataType valueType) {
      super(name, keyType, valueType, Shape.SCALAR);
    }

    @Override
    <T> T read(Function<TableContents, T> reader) {
      TableContents filled = contents;
      if (filled == null) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION, "Table not initialized: %s", name());
      }
      return reader.apply(filled);
    }

    @Override
    boolean hasDefaultForEach() {
      return false;
    }

    boolean isInitialized() {
      return contents != null;
    }

    @Override
    int size() {
      TableContents filled = contents;
      return filled == null ? 0 : filled.size();
    }

    @Override
    void insert(Tensor keys, Tensor values) {
      throw StatusException.unimplemented(
          "Insert is not supported by %s, a table that is initialized once", name());
    }

    @Override
    void remove(Tensor keys) {
      throw StatusException.unimplemented(
          "Remove is not supported by %s, a table that is initialized once", name());
    }

    @Override
    void load(Tensor keys, Tensor values) {
      TableContents filled = newContents();
      for (int i = 0; i < keys.elements(); i++) {
        int known = filled.numberOf(keys, i);
        if (known >= 0 && !filled.hasValue(known, values, i)) {
          throw StatusException.of(
              StatusCode.FAILED_PRECONDITION,
              "HashTable has different value for same key: table %s, key %s",
              name(),
              TensorText.summary(element(keys, i), 1));
        }
        filled.put(keys, values, i);
      }
      fill(filled);
    }

    private static Tensor element(Tensor keys, int i) {
      return Tensor.view(
          keys.dtype(), Shape.SCALAR, TensorMemory.array(keys), TensorMemory.offset(keys) + i);
    }

    private synchronized void fill(TableContents filled) {
      if (contents != null) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "Table was already initialized with different data: %s",
            name());
      }
      contents = filled;
    }
  }

  /** A table that can be updated (MutableHashTable and its variants). */
  static final class Mutable extends LookupTable {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final List<Tensor> reserved;
    private TableContents contents;

    /**
     * A table that rejects the keys {@code reserved}: the empty key and the deleted key of
     * MutableDenseHashTable, if any.
     */
    Mutable(
        String name,
        DataType keyType,
        DataType valueType,
        Shape valueShape,
        List<Tensor> reserved) {
      super(name, keyType, valueType, valueShape);
      this.reserved = reserved;
      this.contents = newContents();
      if (reserved.size() == 2 && isAt(reserved.get(1), reserved.get(0), 0)) {
        throw invalidArgument("Empty and deleted keys cannot be equal");
      }
    }

    @Override
    void checkKeys(Tensor keys) {
      for (int i = 0; i < keys.elements() && !reserved.isEmpty(); i++) {
        for (int k = 0; k < reserved.size(); k++) {
          if (isAt(reserved.get(k), keys, i)) {
            throw invalidArgument(
                "Using the %s_key as a table key is not allowed", k == 0 ? "empty" : "deleted");
          }
        }
      }
    }

    private static boolean isAt(Tensor scalar, Tensor keys, int index) {
      return switch (scalar.dtype()) {
        case STRING -> Arrays.equals(scalar.string(0), keys.string(index));
        case INT32, INT64 -> scalar.integer(0) == keys.integer(index);
        default -> false;
      };
    }

    @Override
    <T> T read(Function<TableContents, T> reader) {
      lock.readLock().lock();
      try {
        return reader.apply(contents);
      } finally {
        lock.readLock().unlock();
      }
    }

    private void write(Consumer<TableContents> writer) {
      lock.writeLock().lock();
      try {
        writer.accept(contents);
      } finally {
        lock.writeLock().unlock();
      }
    }

    @Override
    boolean hasDefaultForEach() {
      return true;
    }

    @Override
    int size() {
      return read(TableContents::size);
    }

    @Override
    void insert(Tensor keys, Tensor values) {
      write(held -> {
        for (int i = 0; i < keys.elements(); i++) {
          held.put(keys, values, i);
        }
      });
    }

    @Override
    void remove(Tensor keys) {
      write(held -> {
        for (int i = 0; i < keys.elements(); i++) {
          held.remove(keys, i);
        }
      });
    }

    @Override
    void load(Tensor keys, Tensor values) {
      TableContents loaded = newContents();
      for (int i = 0; i < keys.elements(); i++) {
        loaded.put(keys, values, i);
      }
      write(_ -> contents = loaded);
    }
  }

  /** All keys and their values; ABORTED if the table is not initialized. */
  final List<Tensor> export() {
    if (this instanceof Fixed fixed && !fixed.isInitialized()) {
      throw StatusException.of(StatusCode.ABORTED, "HashTable is not initialized: %s", name);
    }
    return read(TableContents::export);
  }

  /** The table of {@code handle}; INVALID_ARGUMENT for any other handle. */
  static LookupTable of(Tensor handle) {
    if (handle.elements() == 1 && handle.reference(0) instanceof LookupTable table) {
      return table;
    }
    throw WrongHandle.of(handle, "table");
  }

  /** INVALID_ARGUMENT unless the dtypes are the table's. */
  final void checkTypes(DataType keys, @Nullable DataType values) {
    if (keys != keyType || (values != null && values != valueType)) {
      throw invalidArgument(
          "Signature mismatch, have: resource, %s, %s expected: resource, %s, %s for table %s",
          keys.tfName(),
          values == null ? "-" : values.tfName(),
          keyType.tfName(),
          values == null ? "-" : valueType.tfName(),
          name);
    }
  }
}
