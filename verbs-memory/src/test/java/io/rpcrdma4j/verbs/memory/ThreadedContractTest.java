package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;

class ThreadedContractTest extends VerbsContractSuite {

    @Override
    protected ProviderFixture newFixture() {
        return new FabricFixture(MemoryFabric.builder()
                .mode(ExecutionMode.THREADED)
                .sendCompletion(SendCompletion.ON_DELIVERY)
                .build());
    }
}
