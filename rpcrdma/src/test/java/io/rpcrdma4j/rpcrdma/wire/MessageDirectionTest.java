package io.rpcrdma4j.rpcrdma.wire;

import static io.rpcrdma4j.rpcrdma.wire.Messages.join;
import static io.rpcrdma4j.rpcrdma.wire.Messages.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Which direction of a connection a message belongs to. */
class MessageDirectionTest {
    private static final byte[] MSG = words(7, 1, 2, 0);
    private static final byte[] NOMSG = words(7, 1, 2, 1);

    @Test
    void inlineMessageTellsByItsTypeWord() {
        assertThat(peek(join(MSG, words(0, 0, 0, 7, 0)))).isEqualTo(MessageDirection.CALL);
        assertThat(peek(join(MSG, words(0, 0, 0, 7, 1)))).isEqualTo(MessageDirection.REPLY);
        assertThat(peek(join(MSG, words(0, 0, 0, 7, 2)))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(join(MSG, words(0, 0, 0, 7)))).isEqualTo(MessageDirection.UNKNOWN);
    }

    @Test
    void listsAreSteppedOver() {
        byte[] lists = join(
                words(1, 40, 1, 1, 1, 1, 1, 40, 1, 1, 1, 1, 0),
                words(1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0),
                words(1, 1, 1, 1, 1, 1));
        assertThat(peek(join(MSG, lists, words(7, 0)))).isEqualTo(MessageDirection.CALL);
        assertThat(peek(join(MSG, lists, words(7, 1)))).isEqualTo(MessageDirection.REPLY);
    }

    @Test
    void longCallHasAReadListAndLongReplyHasNone() {
        assertThat(peek(join(NOMSG, words(1, 0, 1, 80, 0, 0, 0, 0, 0)))).isEqualTo(MessageDirection.CALL);
        assertThat(peek(join(NOMSG, words(0, 0, 1, 1, 1, 80, 0, 0)))).isEqualTo(MessageDirection.REPLY);
    }

    @Test
    void errorIsSentByAResponderWhateverItsVersion() {
        assertThat(peek(words(7, 1, 2, 4))).isEqualTo(MessageDirection.REPLY);
        assertThat(peek(words(7, 9, 2, 4, 1, 1, 1))).isEqualTo(MessageDirection.REPLY);
    }

    @Test
    void whatCannotBeReadIsUnknown() {
        assertThat(peek(new byte[0])).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(words(7, 1, 2))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(words(7, 2, 2, 0, 0, 0, 0, 7, 0))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(words(7, 1, 2, 3, 0, 0, 0, 7, 0))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(join(MSG, words(0, 1, 0xFFFF_FFFFL, 0, 0, 7, 0)))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(join(MSG, words(0, 0, 1, 0xFFFF_FFFFL, 7, 0)))).isEqualTo(MessageDirection.UNKNOWN);
        assertThat(peek(join(MSG, words(0, 0, 1)))).isEqualTo(MessageDirection.UNKNOWN);
    }

    private static MessageDirection peek(byte[] message) {
        return MessageDirection.peek(MemorySegment.ofArray(message), message.length);
    }
}
