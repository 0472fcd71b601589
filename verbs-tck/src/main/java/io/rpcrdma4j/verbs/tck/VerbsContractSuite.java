package io.rpcrdma4j.verbs.tck;

import org.junit.jupiter.api.Nested;

/**
 * The whole contract. A provider's test extends it, gives a {@link ProviderFixture}, and is done:
 *
 * <pre>{@code
 * class MyProviderContractTest extends VerbsContractSuite {
 *     protected ProviderFixture newFixture() {
 *         return new MyFixture();
 *     }
 * }
 * }</pre>
 */
public abstract class VerbsContractSuite {

    /** Makes the suite. */
    protected VerbsContractSuite() {}

    /** Makes the provider under test, once for each test. */
    protected abstract ProviderFixture newFixture();

    @Nested
    class Registration extends RegistrationContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class SendReceive extends SendReceiveContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class WriteRead extends WriteReadContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Invalidation extends InvalidationContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Protection extends ProtectionContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Flush extends FlushContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Posting extends PostingContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Window extends WindowContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class SharedReceive extends SharedReceiveContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Connections extends ConnectionContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class ConnectionRefusal extends ConnectionRefusalContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Devices extends DeviceContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        @Override
        ProviderFixture newFixture() {
            return VerbsContractSuite.this.newFixture();
        }
    }
}
