package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;
import java.util.Map;

class IwarpContractIT extends VerbsContractSuite {
    @Override
    protected ProviderFixture newFixture() {
        return new IwarpFixture(Map.of());
    }
}
