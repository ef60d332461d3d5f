package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * A typed field of the records of a {@link Csv} or JSON lines file or of an SQLite query, and so a
 * component of the elements, under its name.
 *
 * <pre>{@code
 * Field.int64("id"), Field.float32("price").orElse(0f), Field.string("name").at("user.name")
 * }</pre>
 *
 * @param name the name of the component
 * @param dtype the dtype of the component
 * @param vector whether the field is a JSON array, and the component a vector
 * @param ifMissing the component where the field is missing, empty or null; if absent, that is an
 *     error
 * @param path where the field is in a JSON record: names of nested objects, separated by dots; by
 *     default its name, taken whole
 * @param column the index of the field in a CSV record, from 0; by default its place among the
 *     fields
 */
public record Field(
    String name,
    DataType dtype,
    boolean vector,
    Optional<Tensor> ifMissing,
    Optional<String> path,
    OptionalInt column) {
  /** Refuses nulls. */
  public Field {
    requireNonNull(name, "name is null");
    requireNonNull(dtype, "dtype is null");
    requireNonNull(ifMissing, "ifMissing is null");
    requireNonNull(path, "path is null");
    requireNonNull(column, "column is null");
  }

  private static Field of(String name, DataType dtype) {
    return new Field(name, dtype, false, Optional.empty(), Optional.empty(), OptionalInt.empty());
  }

  /** An int32 number. */
  public static Field int32(String name) {
    return of(name, DataType.INT32);
  }

  /** An int64 number. */
  public static Field int64(String name) {
    return of(name, DataType.INT64);
  }

  /** A float32 number. */
  public static Field float32(String name) {
    return of(name, DataType.FLOAT32);
  }

  /** A float64 number. */
  public static Field float64(String name) {
    return of(name, DataType.FLOAT64);
  }

  /** A truth value; of JSON and SQLite, where 0 is false, only. */
  public static Field bool(String name) {
    return of(name, DataType.BOOL);
  }

  /** A string, in UTF-8. */
  public static Field string(String name) {
    return of(name, DataType.STRING);
  }

  /** A JSON array of such values, as a vector; of JSON only. */
  public Field list() {
    return new Field(name, dtype, true, ifMissing, path, column);
  }

  /** Where the field is in a JSON record: {@code "user.address.city"}. */
  public Field at(String newPath) {
    requireNonNull(newPath, "newPath is null");
    return new Field(name, dtype, vector, ifMissing, Optional.of(newPath), column);
  }

  /** The index of the field in a CSV record, from 0. Fields without an index are not mixed in. */
  public Field at(int newColumn) {
    if (newColumn < 0) {
      throw StatusException.invalidArgument(
          "the column of field %s must be at least 0, and is %d", name, newColumn);
    }
    return new Field(name, dtype, vector, ifMissing, path, OptionalInt.of(newColumn));
  }

  /** Takes {@code value} where the field is missing. */
  public Field orElse(long value) {
    return orElse(
        switch (dtype) {
          case INT32 -> Tensor.scalar(Math.toIntExact(value));
          case FLOAT32 -> Tensor.scalar((float) value);
          case FLOAT64 -> Tensor.scalar((double) value);
          default -> Tensor.scalar(value);
        });
  }

  /** Takes {@code value} where the field is missing. */
  public Field orElse(double value) {
    return orElse(dtype == DataType.FLOAT32 ? Tensor.scalar((float) value) : Tensor.scalar(value));
  }

  /** Takes {@code value} where the field is missing. */
  public Field orElse(boolean value) {
    return orElse(Tensor.scalar(value));
  }

  /** Takes {@code value} where the field is missing. */
  public Field orElse(String value) {
    requireNonNull(value, "value is null");
    return orElse(Tensor.scalar(value));
  }

  /**
   * Takes {@code value} where the field is missing: a scalar, or of a list a vector.
   *
   * @throws StatusException INVALID_ARGUMENT if it has another dtype or rank
   */
  public Field orElse(Tensor value) {
    requireNonNull(value, "value is null");
    int rank = vector ? 1 : 0;
    if (value.dtype() != dtype || value.shape().rank() != rank) {
      throw StatusException.invalidArgument(
          "field %s is %s, and can't be %s where it is missing", name, component(), value);
    }
    return new Field(name, dtype, vector, Optional.of(value), path, column);
  }

  /** The dtype and shape of the component. */
  Structure.Component component() {
    return new Structure.Component(
        dtype, vector ? Shape.of(Shape.UNKNOWN_DIMENSION) : Shape.SCALAR);
  }

  /** The names of objects on the way to the field in a JSON record, and its own. */
  List<String> steps() {
    return path.map(p -> List.of(p.split("\\.", -1))).orElse(List.of(name));
  }

  /**
   * Refuses fields of which none or several have a name.
   *
   * @throws StatusException INVALID_ARGUMENT if there is no field, or two have the same name
   */
  static void checkNames(List<Field> fields) {
    if (fields.isEmpty()) {
      throw StatusException.invalidArgument("there must be at least one field");
    }
    TreeSet<String> names = new TreeSet<>();
    for (Field field : fields) {
      if (!names.add(field.name())) {
        throw StatusException.invalidArgument("two fields are called %s", field.name());
      }
    }
  }
}
