package io.headrace.cli;

import com.google.gson.JsonObject;
import io.headrace.cli.text.ProtoJson;
import io.headrace.cli.text.StatusText;
import io.headrace.dispatcher.JournalInspection;
import io.headrace.proto.headrace.journal.JournalRecord;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headrace journal}: looks at a dispatcher's journal. */
@Command(
    name = "journal",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {JournalCommand.Verify.class, JournalCommand.Dump.class},
    description =
        "Look at the journal of a dispatcher that does not run, or of one in a bucket. Changes"
            + " nothing.")
final class JournalCommand implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  /** Reports the missing command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  /** The flags of both commands. */
  @SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
  static final class Source {
    @Option(
        names = "--work-dir",
        paramLabel = "DIR",
        required = true,
        description =
            "The dispatcher's work_dir: a directory that no dispatcher uses now, or"
                + " gs://BUCKET/PATH. Needed.")
    String workDir = "";

    @Option(
        names = "--gcs-endpoint",
        paramLabel = "URL",
        defaultValue = "",
        description = "The endpoint of an emulator of Cloud Storage. Default: Google's own.")
    String gcsEndpoint = "";

    JournalInspection read() {
      return JournalInspection.read(workDir, gcsEndpoint);
    }
  }

  /** {@code headrace journal verify}: checks a journal. */
  @Command(
      name = "verify",
      sortOptions = false,
      description = {
        "Check a journal as a start does: every acknowledged record is there and intact, and each"
            + " can follow those before it. The exit status is 1 for a damaged one."
      })
  static final class Verify implements Callable<Integer> {
    @Spec CommandSpec spec = CommandSpec.create();

    @Mixin Source source = new Source();

    @Override
    public Integer call() {
      JournalInspection journal = source.read();
      JournalInspection.Restored restored = journal.restore();
      PrintWriter out = Headrace.out(spec);
      long first = journal.content().first();
      int count = journal.records().size();
      out.println(
          "journal %s is whole: %s, %s, opened %s"
              .formatted(
                  journal.content().id(),
                  count == 0
                      ? "no records"
                      : "%,d records, %d to %d".formatted(count, first, first + count - 1),
                  StatusText.bytes(
                      journal.content().records().stream().mapToLong(r -> r.length).sum()),
                  journal.content().epoch() == 1 ? "once" : journal.content().epoch() + " times"));
      if (!journal.content().lastUser().isEmpty()) {
        out.println("last used by " + journal.content().lastUser());
      }
      out.println(
          "it restores %,d workers, %,d datasets, %,d jobs, %,d unfinished iterations, %,d readers"
              .formatted(
                  restored.workers(),
                  restored.datasets(),
                  restored.jobs(),
                  restored.unfinished(),
                  restored.readers()));
      out.flush();
      return 0;
    }
  }

  /** {@code headrace journal dump}: prints a journal. */
  @Command(
      name = "dump",
      sortOptions = false,
      description = {
        "Print a journal, one record a line: its number, what it changes, and its fields, long ones"
            + " cut."
      })
  @SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
  static final class Dump implements Callable<Integer> {
    private static final int MAX_WIDTH = 160;

    @Spec CommandSpec spec = CommandSpec.create();

    @Mixin Source source = new Source();

    @Option(
        names = "--json",
        description =
            "Print each record as a JSON object on a line, whole: \"number\", and the fields of"
                + " JournalRecord (headrace/journal.proto), which keep their names; bytes in"
                + " base64.")
    boolean json;

    @Override
    public Integer call() {
      JournalInspection journal = source.read();
      PrintWriter out = Headrace.out(spec);
      long number = journal.content().first();
      for (JournalRecord record : journal.records()) {
        out.println(json ? json(number, record) : line(number, record));
        if (out.checkError()) {
          break; // A closed pipe, as behind head.
        }
        number++;
      }
      out.flush();
      return 0;
    }

    private static String json(long number, JournalRecord record) {
      JsonObject line = new JsonObject();
      line.addProperty("number", number);
      ProtoJson.object(record).entrySet().forEach(f -> line.add(f.getKey(), f.getValue()));
      return line.toString();
    }

    private static String line(long number, JournalRecord record) {
      String change = record.getChangeCase().name().toLowerCase(Locale.ROOT);
      String fields =
          ProtoJson.object(record).entrySet().stream()
              .map(field -> field.getValue().toString())
              .findFirst()
              .orElse("");
      String line = "%8d  %-20s  %s".formatted(number, change, fields);
      return line.length() <= MAX_WIDTH ? line : line.substring(0, MAX_WIDTH - 1) + "~";
    }
  }
}
