package com.example.howto;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.Guarantee;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A training that may be killed at any time, and goes on where it was: each record counts exactly
 * once. Its model is the number of records and their sum.
 */
public final class ResumedTraining {
  private static final DistributeOptions OPTIONS =
      DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.EXACTLY_ONCE);

  private final Path file;
  private long records;
  private long sum;

  private ResumedTraining(Path file) {
    this.file = file;
  }

  /** A training that keeps model and checkpoint in {@code file}, and resumes from it. */
  static ResumedTraining of(Path file) {
    return new ResumedTraining(file);
  }

  long records() {
    return records;
  }

  long sum() {
    return sum;
  }

  /** Trains on the rest of {@code numbers}, batches of int64. */
  void run(Dataset numbers, String target) throws IOException {
    DistributeOptions options = Files.exists(file) ? OPTIONS.resumedFrom(restore()) : OPTIONS;
    Dataset shared = numbers.apply(DataService.distribute(options, target));
    try (ElementIterator batches = shared.iterator()) {
      while (batches.hasNext()) {
        step(batches.next());
        save(batches.checkpoint());
      }
    }
  }

  private void step(Element batch) {
    for (long value : batch.tensor().longs()) {
      records++;
      sum += value;
    }
  }

  /** Replaces the file at once: model and checkpoint are of the same step, or both of the last. */
  private void save(Checkpoint checkpoint) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(records);
    out.writeLong(sum);
    out.write(checkpoint.toBytes());
    Path written =
        Files.write(file.resolveSibling(file.getFileName() + ".new"), bytes.toByteArray());
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private Checkpoint restore() throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)));
    records = in.readLong();
    sum = in.readLong();
    return Checkpoint.ofBytes(in.readAllBytes());
  }

  /** Numbers that take a while each, in batches of eight. */
  static Dataset numbers(long count) {
    return Dataset.range(count).batch(8);
  }

  /** Trains to the end, and prints the model: {@code ResumedTraining FILE COUNT TARGET}. */
  public static void main(String[] args) throws IOException {
    ResumedTraining training = of(Path.of(args[0]));
    training.run(numbers(Long.parseLong(args[1])), args[2]);
    System.out.println(training.records() + " records, sum " + training.sum());
  }
}
