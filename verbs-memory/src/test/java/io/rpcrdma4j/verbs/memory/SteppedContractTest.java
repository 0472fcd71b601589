package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;
import java.util.concurrent.atomic.AtomicLong;

class SteppedContractTest extends VerbsContractSuite {

    private static final AtomicLong SEED = new AtomicLong(Long.getLong("test.seed", 1));

    @Override
    protected ProviderFixture newFixture() {
        long seed = SEED.getAndIncrement();
        System.out.println("stepped fabric: -Dtest.seed=" + seed);
        return new FabricFixture(
                MemoryFabric.builder().mode(ExecutionMode.STEPPED).seed(seed).build());
    }
}
