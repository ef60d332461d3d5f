package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.headrace.GetElementNote;
import org.junit.jupiter.api.Test;

final class IgnoredErrorCountTest {
  private final IgnoredErrorCount count = new IgnoredErrorCount();

  @Test
  void takeNew_hasWhatWasToldSince() {
    count.follow(7, 3);
    assertThat(count.takeNew()).isEqualTo(3);
    count.follow(7, 3);
    count.follow(7, 2); // a reply that was overtaken
    count.follow(7, 5);

    assertThat(count.takeNew()).isEqualTo(2);
    assertThat(count.takeNew()).isZero();
  }

  @Test
  void aPassBegunAnew_countsAgain() {
    count.follow(7, 3);
    count.follow(8, 2);

    assertThat(count.takeNew()).isEqualTo(5);
    assertThat(count.ofPass()).isEqualTo(2);
  }

  @Test
  void aPassThatIsNotKnownYet_countsLater() {
    count.follow(0, 3);
    assertThat(count.takeNew()).isZero();
    count.follow(7, 3);

    assertThat(count.takeNew()).isEqualTo(3);
  }

  @Test
  void replies_haveItBesideTheElement() throws InvalidProtocolBufferException {
    GetElementNote note = GetElementNote.newBuilder().setErrorsIgnored(4).setPass(-9).build();
    count.follow(GetElementResponse.parseFrom(note.toByteArray()));

    assertThat(count.takeNew()).isEqualTo(4);
    assertThat(count.pass()).isEqualTo(-9);
  }

  @Test
  void stockReplies_tellNothing() {
    count.follow(GetElementResponse.newBuilder().setEndOfSequence(true).build());

    assertThat(count.takeNew()).isZero();
  }
}
