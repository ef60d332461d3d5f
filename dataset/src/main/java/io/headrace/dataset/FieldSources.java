package io.headrace.dataset;

import io.headrace.dataset.execute.json.DecodeJsonOp;
import io.headrace.dataset.execute.source.CsvDataset;
import io.headrace.dataset.execute.source.SqlDataset;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Builds the nodes of datasets of records with named fields: CSV, JSON lines and SQLite. */
final class FieldSources {
  private static final Set<DataType> SQLITE_DTYPES =
      Set.of(DataType.INT32, DataType.INT64, DataType.FLOAT64, DataType.BOOL, DataType.STRING);

  private FieldSources() {}

  /** The records of CSV files; {@code files} adds the input of file names. */
  static Dataset csv(Csv format, UnaryOperator<NodeBuilder> files) {
    List<Field> fields = format.fields();
    Structure row = new Structure.Tuple(fields.stream().<Structure>map(Field::component).toList());
    Dataset rows =
        new Dataset(
            row,
            target ->
                DatasetNodeBuilder.typed(
                    files
                        .apply(csvNode(format, target.graph()))
                        .input(Tensor.scalar(format.compression().tfName()))
                        .input(Tensor.scalar(FileSources.READ_BUFFER_BYTES))
                        .input(Tensor.scalar(format.header() != Csv.Header.NONE))
                        .input(Tensor.scalar(String.valueOf(format.delimiter())))
                        .input(Tensor.scalar(format.quotes()))
                        .input(Tensor.scalar(format.missing()))
                        .input(columns(fields))
                        .constants(fields.stream().map(FieldSources::ifMissing).toList()),
                    row));
    return named(rows, fields);
  }

  /** The node, with the names of the fields, which the header must have if it is to be checked. */
  private static NodeBuilder csvNode(Csv format, GraphBuilder graph) {
    return graph
        .op("CSVDataset")
        .strings(
            format.header() == Csv.Header.CHECKED ? CsvDataset.HEADER : CsvDataset.FIELDS,
            format.fields().stream().map(Field::name).toList());
  }

  private static Tensor columns(List<Field> fields) {
    return Tensor.vector(
        fields.stream()
            .filter(field -> field.column().isPresent())
            .mapToLong(field -> field.column().getAsInt())
            .toArray());
  }

  /** The value of a missing field, in a vector; an empty vector if the field must be there. */
  private static Tensor ifMissing(Field field) {
    return field
        .ifMissing()
        .map(value -> value.reshape(Shape.of(1)))
        .orElseGet(() -> none(field.dtype()));
  }

  private static Tensor none(DataType dtype) {
    return Tensor.wrap(dtype, Shape.of(0), dtype.kind().newArray(0));
  }

  /** Elements with the components under the names of the fields. */
  private static Dataset named(Dataset rows, List<Field> fields) {
    List<String> names = fields.stream().map(Field::name).toList();
    if (names.equals(names.stream().sorted(Comparator.naturalOrder()).toList())) {
      // Parts of a map are in the order of their names, so that the rows are such maps already.
      return new Dataset(structure(fields), rows.recipe());
    }
    return rows.mapElement(row -> byName(fields, row.components()));
  }

  private static Structure structure(List<Field> fields) {
    Map<String, Structure> parts = new TreeMap<>();
    fields.forEach(field -> parts.put(field.name(), field.component()));
    return new Structure.Dict(parts);
  }

  private static Map<String, Output> byName(List<Field> fields, List<Output> components) {
    Map<String, Output> parts = new TreeMap<>();
    for (int i = 0; i < fields.size(); i++) {
      parts.put(fields.get(i).name(), components.get(i));
    }
    return parts;
  }

  /** The rows of a query of an SQLite database. */
  static Dataset sqlite(String database, String query, List<Field> fields) {
    Field.checkNames(fields);
    for (Field field : fields) {
      if (!SQLITE_DTYPES.contains(field.dtype())
          || field.vector()
          || field.ifMissing().isPresent()
          || field.path().isPresent()
          || field.column().isPresent()) {
        throw StatusException.invalidArgument(
            "a field of a query is an int32, int64, float64, bool or string, in the place of its"
                + " column, and field %s is another, or has a default, a path or a column; convert"
                + " and choose in the query (CAST, COALESCE)",
            field.name());
      }
    }
    Structure row = new Structure.Tuple(fields.stream().<Structure>map(Field::component).toList());
    Dataset rows =
        new Dataset(
            row,
            target ->
                DatasetNodeBuilder.typed(
                    target
                        .graph()
                        .op("SqlDataset")
                        .input(Tensor.scalar(SqlDataset.DRIVER))
                        .input(Tensor.scalar(database))
                        .input(Tensor.scalar(query)),
                    row));
    return named(rows, fields);
  }

  /** The fields of JSON records, one a line. */
  static Dataset jsonLines(List<Field> fields, Dataset lines) {
    Field.checkNames(fields);
    for (Field field : fields) {
      if (field.column().isPresent()) {
        throw StatusException.invalidArgument(
            "a field of a JSON record has a path, and %s has a column", field.name());
      }
    }
    return lines.map(line -> byName(fields, decodedJson(line, fields)));
  }

  private static List<Output> decodedJson(Output record, List<Field> fields) {
    GraphBuilder graph = GraphBuilder.current();
    return graph
        .op(DecodeJsonOp.NAME)
        .input(record)
        .constants(
            fields.stream()
                .map(field -> field.ifMissing().orElseGet(() -> none(field.dtype())))
                .toList())
        .types("types", fields.stream().map(Field::dtype).toList())
        .strings("paths", fields.stream().map(field -> DecodeJsonOp.path(field.steps())).toList())
        .integers("lists", fields.stream().map(field -> field.vector() ? 1L : 0L).toList())
        .integers(
            "required",
            fields.stream().map(field -> field.ifMissing().isEmpty() ? 1L : 0L).toList())
        .buildAll();
  }
}
