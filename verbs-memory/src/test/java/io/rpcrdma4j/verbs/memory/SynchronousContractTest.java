package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;

class SynchronousContractTest extends VerbsContractSuite {

    @Override
    protected ProviderFixture newFixture() {
        return new FabricFixture(MemoryFabric.builder()
                .mode(ExecutionMode.SYNCHRONOUS)
                .sendCompletion(SendCompletion.ON_DELIVERY)
                .build());
    }
}
