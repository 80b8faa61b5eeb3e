import { pino, stdTimeFunctions, type DestinationStream, type LevelWithSilent } from "pino";
import type { Log, LogFields } from "@steward/kernel/log.js";
import { shownJson } from "@steward/kernel/shown-text.js";
import { redacted } from "./redact.js";

/** File descriptor of standard error. Standard output is reserved for a command's data. */
const STDERR = 2;

/**
 * A log of JSON lines with masked secrets. Writing is synchronous, so that no line is lost when the
 * process crashes right afterwards.
 * @param destination default: standard error.
 */
export function pinoLog(level: LevelWithSilent, destination?: DestinationStream): Log {
  const options = {
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (value: unknown) => value },
  };
  const lines = destination ?? pino.destination({ dest: STDERR, sync: true });
  // A line is JSON, and whoever reads it in a terminal sees texts of others.
  const write = (line: string): void => {
    lines.write(shownJson(line));
  };
  return logOver(pino(options, { write }));
}

type Level = "debug" | "info" | "warn" | "error";

/** The part of pino's interface that is used. */
interface Sink extends Record<Level, (fields: LogFields, event: string) => void> {
  isLevelEnabled(level: Level): boolean;
  child(bindings: LogFields): Sink;
}

function logOver(sink: Sink): Log {
  const at =
    (level: Level): Log[Level] =>
    (fields, event) => {
      if (sink.isLevelEnabled(level)) sink[level](redacted(fields), event);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => logOver(sink.child(redacted(fields))),
  };
}
