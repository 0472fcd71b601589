package io.rpcrdma4j.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.LoggerFactory;

/**
 * Sets the log up: one line per event, on standard error, without stack traces unless details were asked for.
 *
 * <p>Logback finds it as a service, which spares the start of every command the reading of an XML file.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
    private static final String APPENDER = "stderr";
    private static final String BRIEF = "%d{HH:mm:ss.SSS} %-5level %msg%n%nopex";
    private static final String DETAILED = "%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0}: %msg%n";

    /** Made by logback. */
    public LogSetup() {}

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        showWarnings(context);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Logs what a user of the command must know, as it is at the start. */
    static void showWarnings() {
        showWarnings(root().getLoggerContext());
    }

    private static void showWarnings(LoggerContext context) {
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.detachAppender(APPENDER);
        root.setLevel(Level.WARN);
        root.addAppender(appender(context, BRIEF));
        context.getLogger("io.rpcrdma4j").setLevel(null);
    }

    /** Logs everything, with threads, loggers and stack traces. */
    static void showDetails() {
        Logger root = root();
        root.detachAppender(APPENDER);
        root.addAppender(appender(root.getLoggerContext(), DETAILED));
        root.setLevel(Level.INFO);
        root.getLoggerContext().getLogger("io.rpcrdma4j").setLevel(Level.DEBUG);
    }

    /** Logs what an operator of a server wants to see: also connections that come and go. */
    static void showConnections() {
        Logger ours = root().getLoggerContext().getLogger("io.rpcrdma4j");
        if (ours.getLevel() == null) {
            ours.setLevel(Level.INFO);
        }
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private static ConsoleAppender<ILoggingEvent> appender(LoggerContext context, String pattern) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(pattern);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setName(APPENDER);
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
