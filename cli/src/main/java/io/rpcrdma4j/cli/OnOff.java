package io.rpcrdma4j.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A choice that is written as a word. A boolean would be an option without a word to picocli. */
enum OnOff {
    /** Yes. */
    ON,
    /** No. */
    OFF;

    /** Reads {@code on} and {@code off}. */
    static final class Converter implements ITypeConverter<OnOff> {
        @Override
        public OnOff convert(String text) {
            return switch (text) {
                case "on" -> ON;
                case "off" -> OFF;
                default -> throw new TypeConversionException("'" + text + "' is neither 'on' nor 'off'");
            };
        }
    }
}
