package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.tck.ProviderFixture;
import io.rpcrdma4j.verbs.tck.VerbsContractSuite;
import java.util.Map;

class IwarpRandomCutContractIT extends VerbsContractSuite {
    @Override
    protected ProviderFixture newFixture() {
        return new IwarpFixture(Map.of(Settings.MOVE_BYTES_MAX, "-20261130"));
    }
}
