package io.headrace.journal;

import static io.headrace.journal.Records.append;
import static io.headrace.journal.Records.replay;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headrace.journal.FaultProxy.Fault;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refused starts: each has a one-line message and changes nothing. */
final class GcsDamageTest extends GcsTests {
  private static final int HEADER_BYTES = 92;

  @ParameterizedTest
  @ValueSource(ints = {0, 13, 50, 83, HEADER_BYTES + 5, -1})
  void flippedBit_inALogObject_namesRecordAndObject(int at) throws GcsFailure {
    write("a", "b", "c");
    flip(GcsObjectNames.log(3), at);

    assertRefused(
        StatusCode.DATA_LOSS,
        "record 2 is damaged; "
            + location.url(GcsObjectNames.log(3))
            + " does not match its checksum");
  }

  @Test
  void flippedBit_inTheLastLogObject_isNotTakenForATornTail() throws GcsFailure {
    write("a", "b");
    flip(GcsObjectNames.log(3), HEADER_BYTES + 5);

    assertRefused(
        StatusCode.DATA_LOSS, "record 2 is damaged; " + location.url(GcsObjectNames.log(3)));
  }

  @Test
  void flippedBit_inAnEpoch_namesTheObject() throws GcsFailure {
    write("a");
    write("b");
    flip(GcsObjectNames.log(3), HEADER_BYTES + 5);

    assertRefused(StatusCode.DATA_LOSS, location.url(GcsObjectNames.log(3)));
  }

  @Test
  void flippedBit_inASnapshot_namesRecordAndObject() throws GcsFailure {
    String snapshot = compacted();
    flip(snapshot, HEADER_BYTES + 5);

    assertRefused(StatusCode.DATA_LOSS, "record 3 is damaged; " + location.url(snapshot));
  }

  @Test
  void flippedBit_inAPart_namesRecordAndObject() throws GcsFailure {
    compacted();
    flip(GcsObjectNames.part(1, 1), HEADER_BYTES + 5);

    assertRefused(
        StatusCode.DATA_LOSS, "record 3 is damaged; " + location.url(GcsObjectNames.part(1, 1)));
  }

  @Test
  void flippedBit_inTheHeader_namesIt() throws GcsFailure {
    write("a");
    flip(GcsObjectNames.HEADER, 20);

    assertRefused(StatusCode.DATA_LOSS, location.url(GcsObjectNames.HEADER));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void missingLogObject_namesRecordAndObject(int number) throws GcsFailure {
    write("a", "b", "c");
    delete(GcsObjectNames.log(number));

    assertRefused(
        StatusCode.DATA_LOSS,
        "record " + (number - 1) + " is missing; " + location.url(GcsObjectNames.log(number)));
  }

  @Test
  void missingEndOfAnEarlierEpoch_namesRecordAndObject() throws GcsFailure {
    write("a", "b");
    write();
    delete(GcsObjectNames.log(3));

    assertRefused(
        StatusCode.DATA_LOSS, "record 2 is missing; " + location.url(GcsObjectNames.log(3)));
  }

  @Test
  void missingPart_namesRecordAndObject() throws GcsFailure {
    compacted();
    delete(GcsObjectNames.part(1, 1));

    assertRefused(
        StatusCode.DATA_LOSS, "record 3 is missing; " + location.url(GcsObjectNames.part(1, 1)));
  }

  @Test
  void missingLog_isNoNewJournal() throws GcsFailure {
    write("a", "b");
    for (String name : objects()) {
      if (GcsObjectNames.logNumber(name).isPresent()) {
        delete(name);
      }
    }
    assertRefused(StatusCode.DATA_LOSS, "record 1 is missing");
  }

  @Test
  void missingHeader_isNoNewJournal() throws GcsFailure {
    write("a", "b");
    delete(GcsObjectNames.HEADER);

    assertRefused(StatusCode.DATA_LOSS, location.url(GcsObjectNames.HEADER) + " is missing");
  }

  @Test
  void foreignObjects_areLeftAlone() throws GcsFailure {
    put("pictures/cat.jpg", "miaow".getBytes(UTF_8));

    assertRefused(
        StatusCode.FAILED_PRECONDITION,
        "holds no journal of Headrace, but other objects (pictures/cat.jpg)");
  }

  @Test
  void stockJournal_isLeftAlone() throws GcsFailure {
    put("tf_data_dispatcher_journal/journal_0", new byte[3]);

    assertRefused(StatusCode.FAILED_PRECONDITION, "the journal of a TensorFlow dispatcher");
  }

  @Test
  void objectsBesideThePath_doNotMatter() throws GcsFailure {
    GcsLocation beside = new GcsLocation(location.bucket(), "some", location.endpoint());
    try (GcsBucket bucket = GcsBucket.connect(beside, HASTY.timeout())) {
      bucket.overwrite("path2/cat.jpg", new byte[3]);
    }
    write("a");
  }

  @Test
  void newerFormat_isLeftAlone() throws GcsFailure {
    write("a");
    byte[] header = read(GcsObjectNames.HEADER);
    ByteBuffer.wrap(header).putInt(8, 2);
    CRC32C crc = new CRC32C();
    crc.update(header, 0, header.length - 4);
    ByteBuffer.wrap(header).putInt(header.length - 4, (int) crc.getValue());
    put(GcsObjectNames.HEADER, header);

    assertRefused(
        StatusCode.FAILED_PRECONDITION,
        "is of journal format 2, and this version reads format 1 only");
  }

  @Test
  void anotherJournalsObject_isRefused() throws GcsFailure {
    write("a", "b");
    final byte[] foreign = read(GcsObjectNames.log(2));
    location = newLocation();
    write("a", "b");
    put(GcsObjectNames.log(2), foreign);

    assertRefused(
        StatusCode.DATA_LOSS, location.url(GcsObjectNames.log(2)) + " belongs to another");
  }

  @Test
  void bucketThatDoesNotExist_isNamed() {
    location = GcsLocation.parse("gs://no-such-bucket/path", location.endpoint());

    StatusException e = catchThrowableOfType(StatusException.class, this::openAndClose);
    assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
    assertThat(e.message()).contains("bucket no-such-bucket does not exist");
  }

  @Test
  void bucketThatMayNotBeWritten_isRefused() throws IOException {
    try (FaultProxy proxy = FaultProxy.start(location.endpoint())) {
      GcsLocation direct = location;
      location = proxy.before(location);
      proxy.faults(call -> call.isChange() ? Fault.ANSWER_403 : Fault.NONE);

      StatusException e = catchThrowableOfType(StatusException.class, this::openAndClose);
      assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThat(e.message()).contains(location.toString(), "may not be used", "says the proxy");
      location = direct;
      assertThat(objects()).isEmpty();
    }
  }

  @Test
  void bucketThatCanNotBeReached_isUnavailable() throws IOException {
    try (FaultProxy proxy = FaultProxy.start(location.endpoint())) {
      location = proxy.before(location);
      proxy.faults(_ -> Fault.ANSWER_503);

      StatusException e = catchThrowableOfType(StatusException.class, this::openAndClose);
      assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(e.message()).contains(location.toString(), "can't be reached");
    }
  }

  private void openAndClose() {
    open(location, HASTY).close();
  }

  /** Writes an object per word, in one start. */
  private void write(String... words) {
    try (Journal journal = open(location, HASTY)) {
      for (String word : words) {
        append(journal, word);
      }
      assertThat(replay(journal)).endsWith(words);
    }
  }

  /** Compacts to records 3 and 4; returns the name of the snapshot object. */
  private String compacted() {
    try (Journal journal = open(location, HASTY)) {
      append(journal, "a", "b");
      journal.compact(Records.of("A", "B")).join();
    }
    return GcsObjectNames.log(3);
  }

  private void assertRefused(StatusCode code, String message) throws GcsFailure {
    List<String> before = objects();
    StatusException e = catchThrowableOfType(StatusException.class, this::openAndClose);
    assertThat(e.code()).isEqualTo(code);
    assertThat(e.message()).contains(location.toString(), message).hasLineCount(1);
    assertThat(objects()).as("nothing changed").isEqualTo(before);
  }

  private void flip(String name, int at) throws GcsFailure {
    byte[] content = read(name);
    content[Math.floorMod(at, content.length)] ^= 4;
    put(name, content);
  }

  private byte[] read(String name) throws GcsFailure {
    try (GcsBucket bucket = bucket()) {
      return bucket.read(name).orElseThrow();
    }
  }

  private void put(String name, byte[] content) throws GcsFailure {
    try (GcsBucket bucket = bucket()) {
      bucket.overwrite(name, content);
    }
  }

  private void delete(String name) throws GcsFailure {
    try (GcsBucket bucket = bucket()) {
      bucket.delete(name);
    }
  }
}
