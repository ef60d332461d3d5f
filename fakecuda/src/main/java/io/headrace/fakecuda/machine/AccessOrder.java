package io.headrace.fakecuda.machine;

/** Which operations of a device (launches, copies) the program has ordered. */
@FunctionalInterface
public interface AccessOrder {
  /** Operations in the order of their numbers, as on one stream. */
  AccessOrder SEQUENTIAL = (earlier, later) -> earlier < later;

  /** Whether operation {@code earlier} is over before {@code later} begins, in every legal run. */
  boolean isBefore(int earlier, int later);
}
