package io.headrace.runtime.tensor;

import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordPlaces;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch of consecutive dataset elements, stored by component: the unit of transfer from the
 * source to the trainer.
 *
 * <p>Row i of all columns is one element. A chunk has at least one row. Immutable; slices and rows
 * are views.
 *
 * @param rows the number of elements, at least 1
 * @param columns one per component; empty if elements have no components
 * @param position the position of the first row in its sequence; 0 without accounting
 * @param origins the source records of the rows, without trailing entries
 * @param places the files and records that the rows were read from, for messages of errors; not
 *     carried over the network
 */
public record Chunk(
    int rows, List<Column> columns, long position, Origins origins, RecordPlaces places) {
  /** Checks that every column has {@code rows} rows. */
  public Chunk {
    columns = List.copyOf(columns);
    if (rows < 1) {
      throw new IllegalArgumentException("a chunk has at least one row, not " + rows);
    }
    if (!origins.isEmpty() && origins.totalRows() != rows) {
      throw new IllegalArgumentException(
          "the origins of %d rows in a chunk of %d".formatted(origins.totalRows(), rows));
    }
    for (Column column : columns) {
      if (column.rows() != rows) {
        throw new IllegalArgumentException(
            "a column of %d rows in a chunk of %d".formatted(column.rows(), rows));
      }
    }
  }

  /** A chunk whose rows were read from no file. */
  public Chunk(int rows, List<Column> columns, long position, Origins origins) {
    this(rows, columns, position, origins, RecordPlaces.NONE);
  }

  /** A chunk of {@code columns} without position, origins and places. */
  public static Chunk of(int rows, List<Column> columns) {
    return new Chunk(rows, columns, 0, Origins.NONE);
  }

  /** A chunk of one element. */
  public static Chunk ofElement(List<Tensor> components) {
    List<Column> columns = new ArrayList<>(components.size());
    for (Tensor component : components) {
      columns.add(Column.ofRow(component));
    }
    return of(1, columns);
  }

  /**
   * Concatenates {@code chunks}, at least one; the position is that of the first. The result has
   * origins if all chunks have.
   */
  public static Chunk concat(List<Chunk> chunks) {
    Chunk first = chunks.getFirst();
    if (chunks.size() == 1) {
      return first;
    }
    List<Column> columns = new ArrayList<>(first.columns.size());
    for (int c = 0; c < first.columns.size(); c++) {
      List<Column> parts = new ArrayList<>(chunks.size());
      for (Chunk chunk : chunks) {
        parts.add(chunk.columns.get(c));
      }
      columns.add(Column.concat(parts));
    }
    int rows = 0;
    for (Chunk chunk : chunks) {
      rows += chunk.rows;
    }
    return new Chunk(rows, columns, first.position, originsOf(chunks), placesOf(chunks));
  }

  private static Origins originsOf(List<Chunk> chunks) {
    Origins.Builder all = new Origins.Builder();
    for (Chunk chunk : chunks) {
      if (chunk.origins.isEmpty()) {
        return Origins.NONE;
      }
      all.addAll(chunk.origins);
    }
    return all.build();
  }

  private static RecordPlaces placesOf(List<Chunk> chunks) {
    RecordPlaces.Builder all = new RecordPlaces.Builder();
    for (Chunk chunk : chunks) {
      all.addRows(chunk.places, 0, chunk.rows);
    }
    return all.build();
  }

  /** The component {@code index} of every row. */
  public Column column(int index) {
    return columns.get(index);
  }

  /** Row {@code index}: one element, as views. */
  public List<Tensor> row(int index) {
    List<Tensor> components = new ArrayList<>(columns.size());
    for (Column column : columns) {
      components.add(column.row(index));
    }
    return components;
  }

  /** The rows {@code from} up to {@code to}, at least one, as a view. */
  public Chunk slice(int from, int to) {
    if (from == 0 && to == rows) {
      return this;
    }
    List<Column> sliced = new ArrayList<>(columns.size());
    for (Column column : columns) {
      sliced.add(column.slice(from, to));
    }
    return new Chunk(
        to - from, sliced, position + from, origins.slice(from, to), places.slice(from, to));
  }

  /**
   * Gathers the rows at the first {@code count} of {@code indices}, at least one, in that order, as
   * a copy.
   */
  public Chunk gather(int[] indices, int count) {
    List<Column> picked = new ArrayList<>(columns.size());
    for (Column column : columns) {
      picked.add(column.gather(indices, count));
    }
    return new Chunk(
        count, picked, 0, origins.gather(indices, count), places.gather(indices, count));
  }

  /** This chunk with other columns of the same number of rows. */
  public Chunk withColumns(List<Column> newColumns) {
    return new Chunk(rows, newColumns, position, origins, places);
  }

  /** This chunk with other origins, of the same number of rows or {@link Origins#NONE}. */
  public Chunk withOrigins(Origins newOrigins) {
    return new Chunk(rows, columns, position, newOrigins, places);
  }

  /** This chunk with other places, of the same number of rows or {@link RecordPlaces#NONE}. */
  public Chunk withPlaces(RecordPlaces newPlaces) {
    return new Chunk(rows, columns, position, origins, newPlaces);
  }

  /** This chunk as part of another sequence, with its first row at {@code newPosition}. */
  public Chunk withPosition(long newPosition) {
    return new Chunk(rows, columns, newPosition, origins, places);
  }

  /** The size of the rows in bytes. */
  public long byteSize() {
    long total = 0;
    for (Column column : columns) {
      total += column.byteSize();
    }
    return total;
  }
}
