import type { AuditRecord } from "../audit/index.js";

export { parseExportTarget, targetName, type ExportTarget } from "./export-target.js";

/** A record as an OCSF event, ready to be sent. */
export interface ExportedEvent {
  /** The place of the record in the log. */
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** OCSF's `severity_id`. */
  readonly severity: number;
  /** The kind of the record, such as `plan.changed`. */
  readonly kind: string;
  /** JSON text in one line, without a line break. */
  readonly json: string;
}

/** A receiver of events, such as a file or a collector. */
export interface AuditSink extends AsyncDisposable {
  /** Identifies the receiver in the store, the log and the metrics; contains no secret. */
  readonly name: string;

  /**
   * Sends a batch. It resolves when the receiver has the events: then they are never sent again.
   * @throws SinkBusy when the receiver asks for a pause.
   * @throws Error, whose message holds no secret, when it is unknown whether the receiver has them.
   */
  send(events: readonly ExportedEvent[], signal: AbortSignal): Promise<void>;
}

/** The receiver wants no further batch for a while. */
export class SinkBusy extends Error {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server that sends to a sink, and what it has read. */
export interface ExportClaim {
  /** The id of the server's process. */
  readonly holder: string;
  /** The index of the next record to send, as the server has read it. */
  readonly from: number;
}

/**
 * How far the audit log was exported to each sink. Errors: `STORE_UNAVAILABLE` when the store cannot
 * be reached.
 */
export interface AuditExportStore {
  /** The index of the next record to send; 0 for a new sink. */
  position(sink: string): Promise<number>;

  /** The records from an index on, in the order of the log, at most `limit`; fewer when they are large. */
  records(from: number, limit: number): Promise<readonly AuditRecord[]>;

  /**
   * Reserves a sink for one server, or prolongs that.
   * @returns false when another server has it, or when the position is no longer `from`.
   */
  take(sink: string, claim: ExportClaim, leaseMs: number): Promise<boolean>;

  /**
   * Moves the position after the sink has acknowledged the records before `to`. Durable when it
   * resolves.
   * @returns false, with nothing changed, when another server has taken the sink.
   */
  advance(sink: string, claim: ExportClaim, to: number): Promise<boolean>;

  /** Leaves the sink to other servers at once. */
  release(sink: string, holder: string): Promise<void>;
}
