package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.RowMapper;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.util.List;

/** Finds the shard of each row that is written. Used by one thread at a time. */
abstract class Sharding {
  /** Takes consecutive rows of one shard. */
  interface Consumer {
    void accept(long shard, Chunk rows);
  }

  private final boolean isRowByRow;

  private Sharding(boolean isRowByRow) {
    this.isRowByRow = isRowByRow;
  }

  /** All rows in the shard {@code number}. */
  static Sharding toOne(long number) {
    return new ToOne(number);
  }

  /**
   * Each row in the shard that {@code function} returns for it.
   *
   * @param rowByRow whether rows must be computed one at a time
   */
  static Sharding by(RowFunction function, Ticker ticker, boolean rowByRow) {
    return new ByFunction(new RowMapper(function, ticker), rowByRow);
  }

  /** Whether rows are to be given one at a time. */
  final boolean isRowByRow() {
    return isRowByRow;
  }

  /** Whether all given rows were returned. */
  abstract boolean needsRows();

  abstract void accept(Chunk rows);

  /** The next rows whose shards are known; throws the failure of the next row. */
  abstract Chunk next(int maxRows);

  /**
   * Passes the rows that {@link #next} returned last on. INVALID_ARGUMENT if the function did not
   * return a number.
   */
  abstract void forEachShard(Consumer consumer);

  /** The origins of failed rows that no later row reports. */
  abstract Origins takeDropped();

  private static final class ToOne extends Sharding {
    private final long number;
    private Chunk rows = Chunk.ofElement(List.of());

    ToOne(long number) {
      super(false);
      this.number = number;
    }

    @Override
    boolean needsRows() {
      return true;
    }

    @Override
    void accept(Chunk next) {
      rows = next;
    }

    @Override
    Chunk next(int maxRows) {
      return rows;
    }

    @Override
    void forEachShard(Consumer consumer) {
      consumer.accept(number, rows);
    }

    @Override
    Origins takeDropped() {
      return Origins.NONE;
    }
  }

  private static final class ByFunction extends Sharding {
    private final RowMapper mapper;
    private Chunk numbers = Chunk.ofElement(List.of());
    private Chunk rows = numbers;

    ByFunction(RowMapper mapper, boolean isRowByRow) {
      super(isRowByRow);
      this.mapper = mapper;
    }

    @Override
    boolean needsRows() {
      return mapper.isDone();
    }

    @Override
    void accept(Chunk next) {
      mapper.accept(next);
    }

    @Override
    Chunk next(int maxRows) {
      numbers = mapper.next(maxRows);
      rows = mapper.source().slice(0, numbers.rows()).withOrigins(numbers.origins());
      return rows;
    }

    @Override
    void forEachShard(Consumer consumer) {
      for (int from = 0; from < numbers.rows(); ) {
        long number = number(from);
        int to = from + 1;
        while (to < numbers.rows() && number(to) == number) {
          to++;
        }
        consumer.accept(number, rows.slice(from, to));
        from = to;
      }
    }

    private long number(int row) {
      if (numbers.columns().size() == 1 && numbers.column(0).dtype() == DataType.INT64) {
        Tensor number = numbers.column(0).row(row);
        if (number.elements() == 1) {
          return number.integer(0);
        }
      }
      throw StatusException.invalidArgument("`shard_func` must return a scalar int64.");
    }

    @Override
    Origins takeDropped() {
      return mapper.takeDropped();
    }
  }
}
