package io.headrace.dataset.file;

import com.google.common.base.Splitter;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a query of an SQLite database, read one by one. Values are converted as SQLite
 * converts them (<a href="https://sqlite.org/c3ref/column_blob.html">column access</a>): NULL is 0
 * or empty, text that is no number is 0. Used by one thread at a time, except {@link #close}.
 *
 * <p>The JDBC driver is taken from the class path, where {@code headrace-natives} has it.
 */
public final class SqliteRows implements AutoCloseable {
  private static final String URL = "jdbc:sqlite:";

  /** The start of a URI of SQLite's (<a href="https://sqlite.org/uri.html">URI filenames</a>). */
  private static final String URI = "file:";

  /** A database in memory, and one in a temporary file: both are empty. */
  private static final Set<String> WITHOUT_FILE = Set.of(":memory:", "");

  /**
   * The parameters of a URI. The driver takes any other for a setting of its own, such as the one
   * that lets queries load native code.
   */
  private static final Set<String> URI_PARAMETERS =
      Set.of("cache", "immutable", "mode", "modeof", "nolock", "psow", "vfs");

  /** DriverManager's SQLSTATE where no driver takes a URL. */
  private static final String NO_DRIVER = "08001";

  /**
   * SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI and SQLITE_OPEN_PRIVATECACHE. TensorFlow's flags but for
   * SQLITE_OPEN_CREATE, which makes an empty database of a mistyped name.
   */
  private static final int OPEN_FLAGS = 0x2 | 0x40 | 0x40000;

  /** The driver's texts: "[SQLITE_ERROR] SQL error or missing database (no such table: t)". */
  private static final Pattern DRIVER_MESSAGE =
      Pattern.compile("\\[SQLITE_\\w+] [^(]*\\((.*)\\)", Pattern.DOTALL);

  private final String database;
  private final String query;
  private final Connection connection;
  private final PreparedStatement statement;
  private @Nullable ResultSet rows;

  /** Set before {@link #closed} is asked, as that is set before this is asked. */
  private volatile boolean stepping;

  private volatile boolean closed;

  private SqliteRows(
      String database, String query, Connection connection, PreparedStatement statement) {
    this.database = database;
    this.query = query;
    this.connection = connection;
    this.statement = statement;
  }

  /**
   * Opens {@code database}, a file name or a URI of SQLite's, and compiles {@code query}, its first
   * statement alone.
   *
   * @throws StatusException with TensorFlow's code for SQLite's error: INVALID_ARGUMENT if there is
   *     no such file or it is no database, or if the rows don't have {@code columns} columns;
   *     UNKNOWN if the query is wrong; UNIMPLEMENTED without a driver
   */
  public static SqliteRows open(String database, String query, int columns) {
    Connection connection = connect(database);
    try {
      PreparedStatement statement = prepare(connection, database, query);
      int found = columnCount(statement);
      if (found != columns) {
        throw StatusException.invalidArgument(
            "The number of columns in query (%d) must match the number of elements in output_types"
                + " (%d): %s",
            found, columns, query);
      }
      return new SqliteRows(database, query, connection, statement);
    } catch (SQLException e) {
      closeQuietly(connection);
      throw failure(e, "Prepare() failed", database, query);
    } catch (StatusException e) {
      closeQuietly(connection);
      throw e;
    }
  }

  private static Connection connect(String database) {
    Properties properties = new Properties();
    properties.setProperty("open_mode", Integer.toString(OPEN_FLAGS));
    properties.setProperty("enable_load_extension", "false");
    try {
      return DriverManager.getConnection(URL + uri(database), properties);
    } catch (SQLException e) {
      if (e.getErrorCode() == 0) {
        throw withoutDriver(database, e);
      }
      throw failure(e, "Sqlite::Open(" + database + ") failed", database, "");
    }
  }

  /** The name as a URI, so that the driver finds no setting, and no address to fetch, in it. */
  private static String uri(String database) {
    if (WITHOUT_FILE.contains(database)) {
      return database;
    }
    if (database.startsWith(URI)) {
      checkParameters(database);
      return database;
    }
    String path = database.replace("%", "%25").replace("?", "%3f").replace("#", "%23");
    return URI + (path.startsWith("//") ? "//" : "") + path;
  }

  private static void checkParameters(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return;
    }
    for (String parameter : Splitter.on('&').split(uri.substring(query + 1))) {
      String name = Splitter.on('=').splitToList(parameter).getFirst();
      if (!URI_PARAMETERS.contains(name)) {
        throw StatusException.invalidArgument(
            "%s has the parameter %s, and a URI of SQLite's may have %s",
            uri, name, new TreeSet<>(URI_PARAMETERS));
      }
    }
  }

  /** The error where there is no driver, or its library can't be loaded. */
  private static StatusException withoutDriver(String database, SQLException cause) {
    boolean absent = NO_DRIVER.equals(cause.getSQLState());
    String reason =
        absent
            ? "there is no SQLite driver on the class path; add headrace-natives, or"
                + " org.xerial:sqlite-jdbc"
            : "the SQLite driver does not work here: %s (%s)"
                .formatted(cause.getMessage(), cause.getCause());
    return new StatusException(
        StatusCode.UNIMPLEMENTED, "can't read " + database + ": " + reason, cause);
  }

  private static PreparedStatement prepare(Connection connection, String database, String query)
      throws SQLException {
    if (query.isBlank()) {
      throw StatusException.invalidArgument("the query of database %s is empty", database);
    }
    return connection.prepareStatement(query);
  }

  /** The columns of the rows; 0 for a statement without rows, such as CREATE. */
  private static int columnCount(PreparedStatement statement) throws SQLException {
    try {
      return statement.getMetaData().getColumnCount();
    } catch (SQLException e) {
      if (e.getErrorCode() == 0) {
        return 0; // the driver's own error, for it counts from the first column on
      }
      throw e;
    }
  }

  /** Moves to the next row; false at the end, and from then on. */
  public boolean next() {
    stepping = true;
    try {
      if (closed) {
        throw cancelled();
      }
      ResultSet current = rows;
      if (current == null) {
        current = statement.executeQuery();
        rows = current;
      }
      return current.next();
    } catch (SQLException e) {
      throw failure(e, "Step() failed");
    } finally {
      stepping = false;
    }
  }

  /** The value of this row's column {@code index}, from 0, as an integer. */
  public long integer(int index) {
    try {
      return row().getLong(index + 1);
    } catch (SQLException e) {
      throw failure(e, "can't read column " + index);
    }
  }

  /** The value of this row's column {@code index}, from 0, as a floating-point number. */
  public double number(int index) {
    try {
      return row().getDouble(index + 1);
    } catch (SQLException e) {
      throw failure(e, "can't read column " + index);
    }
  }

  /** The bytes of this row's column {@code index}, from 0; those of a text in UTF-8. */
  public byte[] bytes(int index) {
    try {
      byte[] bytes = row().getBytes(index + 1);
      return bytes == null ? new byte[0] : bytes;
    } catch (SQLException e) {
      throw failure(e, "can't read column " + index);
    }
  }

  private ResultSet row() {
    ResultSet current = rows;
    if (current == null) {
      throw new IllegalStateException("next() comes first");
    }
    return current;
  }

  /** Closes the database; a concurrent {@link #next} ends with CANCELLED. Idempotent. */
  @Override
  public void close() {
    closed = true;
    // The connection waits for a step, and an interrupt that comes before its query runs is lost.
    while (stepping) {
      interrupt();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    closeQuietly(connection);
  }

  private void interrupt() {
    try {
      statement.cancel();
    } catch (SQLException e) {
      // It is closed.
    }
  }

  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // Nothing was written.
    }
  }

  private StatusException failure(SQLException cause, String doing) {
    if (closed) {
      return cancelled();
    }
    return failure(cause, doing, database, query);
  }

  private StatusException cancelled() {
    return StatusException.of(StatusCode.CANCELLED, "database %s is closed", database);
  }

  private static StatusException failure(
      SQLException cause, String doing, String database, String query) {
    int code = cause.getErrorCode();
    Matcher message = DRIVER_MESSAGE.matcher(String.valueOf(cause.getMessage()));
    String reason = message.matches() ? message.group(1) : cause.getMessage();
    return new StatusException(
        statusOf(code),
        "%s: [%d] %s%s (database %s)"
            .formatted(doing, code, reason, query.isEmpty() ? "" : ": " + query, database),
        cause);
  }

  /** TensorFlow's code for a <a href="https://sqlite.org/rescode.html">result code</a>. */
  private static StatusCode statusOf(int resultCode) {
    return switch (resultCode & 0xff) {
      case 4 -> StatusCode.ABORTED; // ABORT
      case 8, 20 -> StatusCode.FAILED_PRECONDITION; // READONLY, MISMATCH
      case 2, 21 -> StatusCode.INTERNAL; // INTERNAL, MISUSE
      case 25 -> StatusCode.OUT_OF_RANGE; // RANGE
      case 12, 14, 19, 26 -> StatusCode.INVALID_ARGUMENT; // NOTFOUND, CANTOPEN, CONSTRAINT, NOTADB
      case 11 -> StatusCode.DATA_LOSS; // CORRUPT
      case 3, 23 -> StatusCode.PERMISSION_DENIED; // PERM, AUTH
      case 13, 18, 22 -> StatusCode.RESOURCE_EXHAUSTED; // FULL, TOOBIG, NOLFS
      case 5, 6, 7, 15 -> StatusCode.UNAVAILABLE; // BUSY, LOCKED, NOMEM, PROTOCOL
      case 9 -> StatusCode.CANCELLED; // INTERRUPT
      default -> StatusCode.UNKNOWN;
    };
  }
}
