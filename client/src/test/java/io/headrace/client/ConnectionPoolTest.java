package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which users share a channel, and when it is closed. */
final class ConnectionPoolTest {
  private final List<ManagedChannel> opened = new ArrayList<>();
  private final ConnectionPool connections =
      new ConnectionPool(address -> {
        opened.add(InProcessChannelBuilder.forName(address).build());
        return opened.getLast();
      });

  @Test
  void usersOfAnAddress_shareAChannel_whichStaysForTheNext() {
    var first = connections.open("a");
    var second = connections.open("a");
    assertThat(second.channel()).isSameAs(first.channel());
    first.close();
    first.close();
    second.close();

    assertThat(opened.getFirst().isShutdown()).isFalse();
    assertThat(connections.open("a").channel()).isSameAs(opened.getFirst());
    assertThat(connections.open("b").channel()).isNotSameAs(opened.getFirst());
  }

  @Test
  void renewedConnection_isOfItsOwn_andTheOldOneClosesWithItsLastUser() {
    var first = connections.open("a");
    var second = connections.open("a");
    first.renew();
    assertThat(first.channel()).isSameAs(opened.get(1));
    assertThat(second.channel()).isSameAs(opened.get(0));
    assertThat(opened.get(0).isShutdown()).isFalse();

    second.renew();
    assertThat(opened.get(0).isShutdown()).isTrue();
    assertThat(second.channel()).isSameAs(opened.get(1));
  }

  @Test
  void channelOfAUserByGetElement_closesWithItsLastUser() {
    var brief = connections.openBriefly("a");
    var other = connections.open("a");
    assertThat(other.channel()).isSameAs(brief.channel());
    brief.close();
    assertThat(opened.getFirst().isShutdown()).isFalse();

    other.close();

    assertThat(opened.getFirst().isShutdown()).isTrue();
    assertThat(connections.open("a").channel()).isNotSameAs(opened.getFirst());
  }

  @Test
  void unusedChannels_areBounded() {
    for (int i = 0; i < 100; i++) {
      connections.open("a" + i).close();
    }
    assertThat(opened.stream().filter(ManagedChannel::isShutdown)).hasSize(36);
    assertThat(opened.getFirst().isShutdown()).isTrue();
    assertThat(opened.getLast().isShutdown()).isFalse();
  }
}
