import type { Clock } from "@steward/kernel/clock.js";
import { WorkerLoop, type BatchEnd } from "@steward/kernel/concurrency/worker-loop.js";
import type { Log } from "@steward/kernel/log.js";
import type { AuditRecord } from "../audit/index.js";
import type { Telemetry } from "../kernel/telemetry.js";
import {
  AUDIT_EXPORT_BATCH_BYTES_MAX,
  AUDIT_EXPORT_BATCH_MAX,
  AUDIT_EXPORT_LEASE_MS,
  AUDIT_EXPORT_POLL_MS,
  AUDIT_EXPORT_RETRY_AFTER_MS_MAX,
  AUDIT_EXPORT_TIMEOUT_MS,
} from "./limits.js";
import { exportedEvent, unreadableEvent, type OcsfSource } from "./ocsf/ocsf-event.js";
import { SinkBusy, type AuditExportStore, type AuditSink, type ExportedEvent } from "./ports.js";

/** Dependencies of the export. */
export interface AuditExporterParts {
  readonly sinks: readonly AuditSink[];
  readonly store: AuditExportStore;
  readonly source: OcsfSource;
  /** The id of this process. */
  readonly holder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Time limit of sending one batch, in ms; absent: the usual one. */
  readonly timeoutMs?: number;
}

/** A server's own state of a sink; the sink's position is in the store. */
interface SinkState {
  readonly sink: AuditSink;
  /** The receiver has asked for a pause until this time. */
  pausedUntilMs: number;
}

/**
 * Sends the records of the audit log to each sink, in their order, at least once each. The position
 * of a sink moves after the sink has acknowledged a batch. A batch whose end is unknown, because the
 * server was killed or the receiver did not answer, is sent again. No record is ever passed over:
 * a sink that refuses a batch gets the same one until it accepts it. Every sink has a loop of its
 * own, so that a slow one delays no other. In the place of a record that cannot be read stands an
 * event that says so, with the digest of the record. Of several servers one sends to a sink at a time.
 */
export class AuditExporter implements AsyncDisposable {
  readonly #parts: AuditExporterParts;
  readonly #loops: readonly WorkerLoop[];

  constructor(parts: AuditExporterParts) {
    this.#parts = parts;
    this.#loops = parts.sinks.map((sink) => {
      const state = { sink, pausedUntilMs: 0 };
      return new WorkerLoop({
        name: `export of the audit log to ${sink.name}`,
        work: (signal) => this.#export(state, signal),
        pollMs: AUDIT_EXPORT_POLL_MS,
        begin: "now",
        end: "abandon",
        log: parts.log,
      });
    });
  }

  /** How many records the slowest sink does not have yet. @param size the number of records in the log. */
  async waiting(size: number): Promise<number> {
    const { sinks, store } = this.#parts;
    const positions = await Promise.all(sinks.map(({ name }) => store.position(name)));
    return Math.max(0, ...positions.map((position) => size - position));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { sinks, store, holder } = this.#parts;
    await Promise.all(this.#loops.map((loop) => loop[Symbol.asyncDispose]()));
    await Promise.all(sinks.map((sink) => sink[Symbol.asyncDispose]()));
    // Failing here is harmless: another server then waits until the lease has expired.
    await Promise.allSettled(sinks.map(({ name }) => store.release(name, holder)));
  }

  async #export(state: SinkState, signal: AbortSignal): Promise<BatchEnd> {
    const { store, source, holder, clock } = this.#parts;
    if (clock.nowMs() < state.pausedUntilMs) return "idle";
    const { name } = state.sink;
    const from = await store.position(name);
    const records = await store.records(from, AUDIT_EXPORT_BATCH_MAX);
    if (records.length === 0) return "idle";
    const claim = { holder, from };
    if (!(await store.take(name, claim, AUDIT_EXPORT_LEASE_MS))) return "idle";
    const events = batchOf(records, (record) => this.#event(record, source));
    if (!(await this.#send(state, events, signal))) return "idle";
    await store.advance(name, claim, from + events.length);
    const isLast = events.length === records.length && records.length < AUDIT_EXPORT_BATCH_MAX;
    return isLast ? "idle" : "more";
  }

  #event(record: AuditRecord, source: OcsfSource): ExportedEvent {
    try {
      return exportedEvent(record, source);
    } catch (error) {
      const told = "a record of the audit log cannot be read; an event that says so is exported";
      this.#parts.log.error({ err: error, index: record.index }, told);
      return unreadableEvent(record, source);
    }
  }

  /** @returns false when the receiver asks for a pause. */
  async #send(
    state: SinkState,
    events: readonly ExportedEvent[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, log, telemetry, timeoutMs = AUDIT_EXPORT_TIMEOUT_MS } = this.#parts;
    const { name } = state.sink;
    const limit = AbortSignal.timeout(timeoutMs);
    const count = (outcome: string): void => {
      telemetry.count("steward_audit_export_batches_total", { sink: name, outcome });
    };
    try {
      await state.sink.send(events, AbortSignal.any([signal, limit]));
      count("sent");
      return true;
    } catch (error) {
      count("failed");
      if (!(error instanceof SinkBusy)) throw error;
      const pauseMs = Math.min(error.retryAfterMs, AUDIT_EXPORT_RETRY_AFTER_MS_MAX);
      state.pausedUntilMs = clock.nowMs() + pauseMs;
      log.info({ sink: name, pauseMs, error: error.message }, "export of the audit log pauses");
      return false;
    }
  }
}

/** As many of the records, as events, as fit into the bytes of a batch; at least one. */
function batchOf(
  records: readonly AuditRecord[],
  eventOf: (record: AuditRecord) => ExportedEvent,
): readonly ExportedEvent[] {
  const events: ExportedEvent[] = [];
  let bytes = 0;
  for (const record of records) {
    const event = eventOf(record);
    bytes += Buffer.byteLength(event.json);
    if (events.length > 0 && bytes > AUDIT_EXPORT_BATCH_BYTES_MAX) break;
    events.push(event);
  }
  return events;
}
