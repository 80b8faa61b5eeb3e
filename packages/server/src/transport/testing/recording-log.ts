import type { Log, LogFields } from "@steward/kernel/log.js";

/** One line that was logged. */
export interface LoggedLine {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

/** A log that adds every line to these. */
export function recordingLog(lines: LoggedLine[]): Log {
  const at = (level: string) => (fields: LogFields, event: string) => {
    lines.push({ level, event, fields });
  };
  const log: Log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => log,
  };
  return log;
}
