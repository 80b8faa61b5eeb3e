/** Fields of one log line. Secrets and statement values never go in. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger. A log line has fields, and a short constant phrase that names the event. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Log;
}

/** Discards everything. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
