package io.headrace.dataset.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headrace.dataset.ChunkReader;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Field;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases and queries that are wrong, damaged or slow. */
@SuppressWarnings("InterruptedExceptionSwallowed")
final class SqliteRowsTest {
  /** A row, and then one for which SQLite counts for ever. */
  private static final String ENDLESS =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 UNION ALL"
          + " SELECT sum(i) FROM n";

  @TempDir Path folder;
  private String database;

  @BeforeEach
  void makeDatabase() throws SQLException {
    database = folder.resolve("a b?c.sqlite").toString();
    String url = "jdbc:sqlite:file:" + database.replace("?", "%3f");
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.executeUpdate("CREATE TABLE t (i INTEGER, s TEXT)");
      statement.executeUpdate("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)");
    }
  }

  private String uri() {
    return "file:" + database.replace("?", "%3f");
  }

  @Test
  void rows_areRead_andAreReadByUri() {
    for (String name : List.of(database, uri(), uri() + "?mode=ro")) {
      try (SqliteRows rows = SqliteRows.open(name, "SELECT i, s FROM t ORDER BY i DESC", 2)) {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
          found.add(rows.integer(0) + new String(rows.bytes(1), StandardCharsets.UTF_8));
        }
        assertThat(found).containsExactly("3", "2b", "1a");
        assertThat(rows.next()).isFalse();
      }
    }
  }

  @Test
  void databaseThatIsMissing_isInvalid_andIsNotCreated() {
    Path missing = folder.resolve("missing.sqlite");
    assertFails(StatusCode.INVALID_ARGUMENT, missing.toString(), missing.toString(), "SELECT 1", 1);
    assertThat(missing).doesNotExist();
  }

  @Test
  void fileOfAnotherKind_isInvalid() throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "no database".repeat(100));
    assertFails(
        StatusCode.INVALID_ARGUMENT, "not a database", text.toString(), "SELECT 1 FROM t", 1);
  }

  @Test
  void damagedDatabase_isDataLoss() throws IOException {
    Path damaged = folder.resolve("damaged.sqlite");
    byte[] bytes = Files.readAllBytes(Path.of(database));
    Arrays.fill(bytes, 4096, bytes.length, (byte) 0xee);
    Files.write(damaged, bytes);
    assertFails(StatusCode.DATA_LOSS, "malformed", damaged.toString(), "SELECT i FROM t", 1);
  }

  @Test
  void resourceOfTheDriver_isNotFetched() {
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "unable to open",
        ":resource:http://localhost/x",
        "SELECT 1",
        1);
  }

  @Test
  void queryThatIsWrong_isTold() {
    assertFails(
        StatusCode.UNKNOWN, "no such table: absent: SELECT 1", database, "SELECT 1 FROM absent", 1);
    assertFails(StatusCode.UNKNOWN, "syntax error", database, "SELEKT", 1);
    assertFails(StatusCode.INVALID_ARGUMENT, "is empty", database, " ", 1);
    assertFails(
        StatusCode.INVALID_ARGUMENT, "query (2) must match", database, "SELECT i, s FROM t", 1);
    assertFails(StatusCode.INVALID_ARGUMENT, "query (0) must match", database, "DELETE FROM t", 1);
  }

  @Test
  void errorInARow_comesBehindTheRowsBefore_andEndsThem() {
    Dataset rows =
        Dataset.sqlite(
            database,
            "SELECT i, abs((i = 3) * (-9223372036854775807 - 1)) FROM t",
            Field.int64("i"),
            Field.int64("x"));
    List<Long> found = new ArrayList<>();
    assertThatThrownBy(() -> rows.forEach(row -> found.add(row.get("i").asLong())))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.message()).contains("integer overflow"));
    assertThat(found).containsExactly(1L, 2L);
    found.clear();
    rows.ignoreErrors().forEach(row -> found.add(row.get("i").asLong()));
    assertThat(found).containsExactly(1L, 2L);
  }

  @Test
  void close_endsAQueryThatRuns() throws Exception {
    SqliteRows rows = SqliteRows.open(database, ENDLESS, 1);
    assertThat(rows.next()).isTrue();
    CountDownLatch stepping = new CountDownLatch(1);
    CompletableFuture<StatusException> ended =
        CompletableFuture.supplyAsync(() -> {
          stepping.countDown();
          return catchThrowableOfType(StatusException.class, rows::next);
        });
    stepping.await();

    CompletableFuture.runAsync(rows::close, SqliteRowsTest::start).get(60, TimeUnit.SECONDS);

    assertThat(ended.get(60, TimeUnit.SECONDS).code()).isEqualTo(StatusCode.CANCELLED);
    rows.close();
  }

  /** Starts a thread of its own: the common pool may have one only, which a query would hold. */
  private static void start(Runnable task) {
    Thread.ofPlatform().daemon().start(task);
  }

  @Test
  void chunks_areSmallWhereRowsAreLarge() {
    Dataset rows =
        Dataset.sqlite(
            database, "SELECT zeroblob(600000) FROM t AS a, t AS b, t AS c", Field.string("blob"));
    List<Integer> chunks = new ArrayList<>();
    try (ChunkReader reader = rows.chunks()) {
      for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
        chunks.add(chunk.rows());
      }
    }
    assertThat(chunks.stream().mapToInt(Integer::intValue).sum()).isEqualTo(27);
    assertThat(chunks).allMatch(count -> count <= 2);
  }

  @Test
  void settingOfTheDriver_isRefusedInAUri_andIsPartOfAFileName() {
    String setting = "?enable_load_extension=true";
    assertFails(
        StatusCode.INVALID_ARGUMENT, "parameter enable_load_extension", uri() + setting, "", 1);
    assertFails(
        StatusCode.INVALID_ARGUMENT, setting, database + setting, "SELECT load_extension('x')", 1);
    assertFails(StatusCode.UNKNOWN, "not authorized", database, "SELECT load_extension('x')", 1);
  }

  @Test
  void fieldsThatAQueryCanNotGive_areRefused() {
    for (Field field :
        List.of(
            Field.float32("x"),
            Field.int64("x").list(),
            Field.int64("x").orElse(1),
            Field.int64("x").at("y"),
            Field.int64("x").at(1))) {
      assertThatThrownBy(() -> Dataset.sqlite(database, "SELECT 1", field))
          .isInstanceOfSatisfying(
              StatusException.class,
              e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    }
  }

  private static void assertFails(
      StatusCode code, String message, String database, String query, int columns) {
    assertThatThrownBy(
            () -> {
              try (SqliteRows rows = SqliteRows.open(database, query, columns)) {
                rows.next();
              }
            })
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> {
              assertThat(e.code()).as(e.message()).isEqualTo(code);
              assertThat(e.message()).contains(message);
            });
  }
}
