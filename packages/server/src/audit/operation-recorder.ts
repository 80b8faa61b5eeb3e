import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { originOf } from "../kernel/origin.js";
import { RecordedOperation } from "../kernel/recorded-operation.js";
import { CountedReads } from "./counted-reads.js";
import { AUDIT_REQUEST_BYTES_MAX } from "./limits.js";
import type { AuditSequence } from "./ports.js";

/**
 * When an operation's record is made. `withEffect`: in the transaction of its effect in the service's
 * store. `around`: one before and one after an effect that is elsewhere, such as in a customer's
 * database. `before`: one before data leaves the service. `counted`: the same, of which more reads by
 * the same caller within an hour are only counted.
 */
export type RecordTime = "withEffect" | "around" | "before" | "counted";

/** How an operation is recorded. */
export interface OperationRecord {
  /** As in `key.create`. */
  readonly kind: string;
  readonly time: RecordTime;
}

/** An operation that a caller asks for. */
export interface AskedOperation extends OperationRecord {
  /** The operation's id in REST, which is also the name of its method in gRPC. */
  readonly operation: string;
  /** The id of what it is about; empty: none, or not known yet. */
  readonly subject: string;
  /** Its parameters. They are a personal value of the record. */
  readonly request: JsonValue;
}

/**
 * The code of an operation. It hands the operation to the writes that are its effect; `undefined`: none of
 * them is to be recorded.
 */
export type RecordedWork<T> = (operation: RecordedOperation | undefined) => Promise<T>;

/** Dependencies of a recorder. */
export interface OperationRecorderParts {
  readonly outbox: Pick<AuditSequence, "add">;
  readonly clock: Clock;
  /** The version of the policies that decide on a caller's requests. */
  readonly policyVersion: (caller: Caller) => Promise<string>;
}

/**
 * Runs operations so that each leaves its record. An operation is answered only after its record is
 * durable; when the record cannot be stored, the operation fails. An effect outside the store is
 * answered when the record before it is durable: the caller must learn what happened there, even if
 * the store has become unavailable since.
 */
export class OperationRecorder {
  readonly #parts: OperationRecorderParts | undefined;
  /**
   * Records of the ends of effects outside the store that could not be stored yet. There are never
   * more of them than operations in progress, because no operation begins while the store is
   * unavailable.
   */
  readonly #waiting: AuditFact[] = [];
  readonly #reads: CountedReads;

  /** @param parts absent: nothing is stored, and so nothing is recorded. */
  constructor(parts: OperationRecorderParts | undefined) {
    this.#parts = parts;
    this.#reads = new CountedReads(async (facts) => parts?.outbox.add(facts));
  }

  /** @throws the error of `work`; AppError `STORE_UNAVAILABLE` when the record cannot be stored. */
  async run<T>(caller: Caller, asked: AskedOperation, work: RecordedWork<T>): Promise<T> {
    const parts = this.#parts;
    if (parts === undefined) return work(undefined);
    const fact = factOf(caller, asked, {
      atMs: parts.clock.nowMs(),
      policyVersion: await parts.policyVersion(caller),
    });
    if (asked.time === "withEffect") return this.#withEffect(parts, fact, work);
    if (asked.time === "around") return this.#around(parts, fact, work);
    const permitted = withStatus(fact, "permitted");
    if (asked.time === "counted") await this.#reads.record(caller, permitted);
    else await parts.outbox.add([permitted]);
    return work(undefined);
  }

  /** Stores how many reads were counted. @throws AppError `STORE_UNAVAILABLE`. */
  async storeCounts(): Promise<void> {
    await this.#reads.storeCounts();
  }

  /**
   * Stores the records that could not be stored before. @throws AppError `STORE_UNAVAILABLE`; the
   * records then wait for the next call.
   */
  async storeWaiting(): Promise<void> {
    const ends = this.#waiting.splice(0);
    if (this.#parts === undefined || ends.length === 0) return;
    try {
      await this.#parts.outbox.add(ends);
    } catch (error) {
      this.#waiting.unshift(...ends);
      throw error;
    }
  }

  async #withEffect<T>(
    { outbox, clock }: OperationRecorderParts,
    fact: AuditFact,
    work: RecordedWork<T>,
  ): Promise<T> {
    const operation = new RecordedOperation(withStatus(fact, "succeeded"));
    let result: T;
    try {
      result = await work(operation);
    } catch (error) {
      // A part of the effect is durable and has its record. A second record says that the operation
      // failed after that part.
      if (operation.isWritten) {
        const ended = { ...operation.fact, atMs: clock.nowMs() };
        await outbox.add([withStatus(ended, "failed", error)]);
      }
      throw error;
    }
    // The operation was permitted and changed nothing, or its store cannot commit the fact together
    // with the write.
    if (!operation.isWritten) await outbox.add([operation.fact]);
    return result;
  }

  async #around<T>(
    { outbox, clock }: OperationRecorderParts,
    fact: AuditFact,
    work: RecordedWork<T>,
  ): Promise<T> {
    await outbox.add([withStatus(fact, "begun")]);
    const operation = new RecordedOperation(fact);
    const end = async (status: string, cause?: unknown): Promise<void> => {
      const fact = withStatus({ ...operation.fact, atMs: clock.nowMs() }, status, cause);
      await outbox.add([fact]).catch(() => this.#waiting.push(fact));
    };
    let result: T;
    try {
      // Single writes of the operation do not commit the fact, because the fact describes the end
      // of the whole operation.
      result = await operation.write(() => work(operation));
    } catch (error) {
      await end("failed", error);
      throw error;
    }
    await end("succeeded");
    return result;
  }
}

function factOf(
  caller: Caller,
  { kind, operation, subject, request }: AskedOperation,
  { atMs, policyVersion }: { readonly atMs: number; readonly policyVersion: string },
): AuditFact {
  return {
    orgId: caller.orgId,
    atMs,
    kind,
    subject,
    origin: originOf(caller),
    detail: { operation, policy_version: policyVersion },
    personal: { request: boundedText(request) },
  };
}

function withStatus(fact: AuditFact, status: string, error?: unknown): AuditFact {
  const code = error === undefined ? {} : { code: AppError.from(error).code };
  return { ...fact, detail: { ...fact.detail, status, ...code } };
}

/** Long parameters, such as an imported document, are recorded by their beginning and their length. */
function boundedText(request: JsonValue): string {
  const text = JSON.stringify(request);
  const bytes = Buffer.byteLength(text);
  if (bytes <= AUDIT_REQUEST_BYTES_MAX) return text;
  const begin = Buffer.from(text).subarray(0, AUDIT_REQUEST_BYTES_MAX).toString();
  return `${begin}… (${String(bytes)} bytes)`;
}
