package com.example.howto;

import io.headrace.client.DataService;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Csv;
import io.headrace.dataset.CsvWriter;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.Field;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes and reads CSV files: typed columns, a header that is checked, records of Java. */
public final class CsvFiles {
  /** A row, whose components have the names of the columns. */
  record Trip(String city, long passengers, float distance) {}

  static final Csv FORMAT =
      Csv.of(Field.string("city"), Field.int64("passengers").orElse(1), Field.float32("distance"))
          .withHeader();

  private CsvFiles() {}

  static void write(String file, List<Trip> trips) {
    try (CsvWriter writer = CsvWriter.create(file, FORMAT)) {
      trips.forEach(writer::write);
    }
  }

  /** The passengers by city, of the trips of at least a kilometer in all files of a pattern. */
  static Map<String, Long> passengers(String pattern, String target) {
    Dataset trips =
        Dataset.files(pattern)
            .csv(FORMAT)
            .filterElement(trip -> trip.get("distance").output().greaterEqual(1))
            .apply(DataService.distribute(ProcessingMode.DYNAMIC, target));
    return trips.as(Trip.class).stream()
        .collect(Collectors.groupingBy(Trip::city, Collectors.summingLong(Trip::passengers)));
  }

  /** Prints the passengers of each city: {@code CsvFiles PATTERN TARGET}. */
  public static void main(String[] args) {
    passengers(args[0], args[1]).forEach((city, sum) -> System.out.println(city + ": " + sum));
  }
}
