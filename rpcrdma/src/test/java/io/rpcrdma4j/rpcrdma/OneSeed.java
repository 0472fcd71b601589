package io.rpcrdma4j.rpcrdma;
public class OneSeed { public static void main(String[] a) throws Exception { new FaultsSimTest().everythingComesHomeUnderFaults(Long.parseLong(a[0])); } }
