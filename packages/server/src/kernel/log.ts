/** Fields of one log line. Secrets and statement values never go in. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger: fields first, then a short constant phrase that names the event. */
export interface Log {
  debug(fields: LogFields, event: string): void;
  info(fields: LogFields, event: string): void;
  warn(fields: LogFields, event: string): void;
  error(fields: LogFields, event: string): void;
  /** A logger whose every line carries these fields. */
  child(fields: LogFields): Log;
}

/** Swallows everything: for embedding and for tests that do not look. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
