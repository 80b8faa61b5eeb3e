import type { Caller } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError, invalidField } from "@steward/kernel/errors.js";
import type { Ids } from "@steward/kernel/ids.js";
import type { OperationCaller } from "../kernel/recorded-operation.js";
import { SESSION_ID_LENGTH_MAX } from "../kernel/limits.js";
import { coveringHold } from "./eraser.js";
import type { Erasure, ErasureEstimate, ErasureScope, ErasureSubject } from "./erasure.js";
import { ERASURES_SHOWN_MAX } from "./limits.js";
import type { ErasedRows, ErasureStore, RetentionStore } from "./ports.js";

/** Dependencies of the service. */
export interface ErasureServiceParts {
  readonly erasures: ErasureStore;
  readonly store: Pick<RetentionStore, "holds">;
  readonly rows: Pick<ErasedRows, "estimate">;
  /** SHA-256 in hexadecimal. */
  readonly sha256: (text: string) => string;
  /** Notified of each new erasure. */
  readonly onBegun: () => void;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A request for an erasure. */
export interface ErasureRequest {
  readonly scope: ErasureScope;
  /** The session's or the user's id; absent for an organization. */
  readonly subject?: string;
}

/** An erasure that has begun. */
export interface BegunErasure {
  readonly erasure: Erasure;
  /** With it the requester can prove whose erasure this was. It is not stored. */
  readonly salt: string;
}

/**
 * Erases the data of the caller's organization, of a session or of a user. Every method may reject
 * with AppError `STORE_UNAVAILABLE`.
 */
export class ErasureService {
  readonly #parts: ErasureServiceParts;

  constructor(parts: ErasureServiceParts) {
    this.#parts = parts;
  }

  /** Counts the rows that an erasure would delete now. @throws AppError `INVALID_ARGUMENT`, `LEGAL_HOLD`. */
  async estimate(
    { orgId }: Pick<Caller, "orgId">,
    request: ErasureRequest,
  ): Promise<ErasureEstimate> {
    const subject = subjectOf(orgId, request);
    await this.#refuseHeld(subject);
    return this.#parts.rows.estimate(subject);
  }

  /**
   * Begins an erasure, which goes on in the background and after a restart.
   * @throws AppError `INVALID_ARGUMENT`, `LEGAL_HOLD`.
   */
  async begin(caller: OperationCaller, request: ErasureRequest): Promise<BegunErasure> {
    const { erasures, clock, ids, sha256, onBegun } = this.#parts;
    const subject = subjectOf(caller.orgId, request);
    await this.#refuseHeld(subject);
    const salt = ids.uuid();
    const by = caller.userId ?? caller.agentId ?? caller.keyId ?? "";
    const erasure: Erasure = {
      ...subject,
      erasureId: ids.orderedUuid(),
      requestedBy: subject.scope === "user" && by === subject.subject ? "" : by,
      requestedAtMs: clock.nowMs(),
      counts: { plans: 0, entries: 0, usage: 0 },
      subjectDigest: sha256(`${salt}${subject.subject}`),
    };
    const { erasureId, scope, subjectDigest } = erasure;
    const detail = { scope, subject_digest: subjectDigest };
    caller.operation?.tell({ subject: erasureId, detail });
    await erasures.begin(erasure, caller.operation);
    onBegun();
    return { erasure, salt };
  }

  /** Newest first. */
  list({ orgId }: Pick<Caller, "orgId">): Promise<readonly Erasure[]> {
    return this.#parts.erasures.list(orgId, ERASURES_SHOWN_MAX);
  }

  /** @throws AppError `NOT_FOUND`. */
  async get(caller: Pick<Caller, "orgId">, erasureId: string): Promise<Erasure> {
    const found = (await this.list(caller)).find(
      (each) => each.erasureId === erasureId.toLowerCase(),
    );
    if (found !== undefined) return found;
    throw new AppError("NOT_FOUND", "The organization has no erasure with this id");
  }

  async #refuseHeld(subject: ErasureSubject): Promise<void> {
    const hold = coveringHold(await this.#parts.store.holds(subject.orgId), subject);
    if (hold === undefined) return;
    const covered = hold.sessionId === undefined ? "the organization" : `session ${hold.sessionId}`;
    throw new AppError(
      "LEGAL_HOLD",
      `Nothing can be erased: the legal hold ${hold.holdId} covers ${covered} (${hold.reason}); ` +
        "lift it first (steward hold remove), or wait until it is lifted",
    );
  }
}

function subjectOf(orgId: string, { scope, subject = "" }: ErasureRequest): ErasureSubject {
  if (scope === "organization") {
    if (subject !== "") throw invalidField("subject", "must be absent for an organization");
    return { orgId, scope, subject };
  }
  if (subject === "" || subject.length > SESSION_ID_LENGTH_MAX) {
    throw invalidField("subject", `must have 1 to ${String(SESSION_ID_LENGTH_MAX)} characters`);
  }
  return { orgId, scope, subject };
}
