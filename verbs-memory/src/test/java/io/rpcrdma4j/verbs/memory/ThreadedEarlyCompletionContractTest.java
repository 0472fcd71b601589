package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;

class ThreadedEarlyCompletionContractTest extends VerbsContractSuite {

    @Override
    protected ProviderFixture newFixture() {
        return new FabricFixture(MemoryFabric.builder()
                .mode(ExecutionMode.THREADED)
                .sendCompletion(SendCompletion.ON_TRANSMIT)
                .build());
    }
}
