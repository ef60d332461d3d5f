package io.headrace.kernels.table;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;

/** Fills a table that is filled once (HashTable). Thread-safe. */
public final class TableInitializer {
  private final LookupTable.Fixed table;

  private TableInitializer(LookupTable.Fixed table) {
    this.table = table;
  }

  /** The initializer of the table of {@code handle}; INVALID_ARGUMENT for any other handle. */
  public static TableInitializer of(Tensor handle) {
    LookupTable table = LookupTable.of(handle);
    if (table instanceof LookupTable.Fixed fixed) {
      return new TableInitializer(fixed);
    }
    throw invalidArgument("Table %s is not initializable", table.name());
  }

  public DataType keyType() {
    return table.keyType();
  }

  public DataType valueType() {
    return table.valueType();
  }

  public boolean isInitialized() {
    return table.isInitialized();
  }

  /**
   * Fills the table.
   *
   * @param keys a vector of the table's key dtype
   * @param values a value for each key, of the table's value dtype
   * @throws StatusException FAILED_PRECONDITION if the table was filled before or a key has two
   *     values
   */
  public void load(Tensor keys, Tensor values) {
    table.load(keys, values);
  }
}
