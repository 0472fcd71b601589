package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsUrl;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an NFS URL. */
final class UrlConverter implements ITypeConverter<NfsUrl> {
    @Override
    public NfsUrl convert(String text) {
        try {
            return NfsUrl.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
