import type { Caller, RequestOrigin } from "@steward/kernel/caller.js";
import { anonymousCaller, NIL_ORG_ID } from "@steward/kernel/caller.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { AuditFact } from "../kernel/audit-fact.js";
import { originOf } from "../kernel/origin.js";
import { AUDIT_REFUSALS_MAX, AUDIT_REFUSALS_MS } from "./limits.js";

/** The number of equal refusals since the last record. */
interface Counted {
  readonly fact: AuditFact;
  count: number;
}

/**
 * Refused operations and failed authentications. They have no effect that they could be committed
 * with, so they wait in memory until the sequencer stores them. Equal ones become one record with
 * their number, and of different ones only so many a minute become records of their own, so that an
 * attacker cannot fill the disk.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Counted>();
  /** A refusal passes several checks on its way to the caller. */
  readonly #counted = new WeakSet<AppError>();
  /** Requests of which a refusal has been counted. */
  readonly #requests = new WeakSet<RequestOrigin>();
  #windowEndsMs = 0;
  #left = AUDIT_REFUSALS_MAX;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a check of a caller's right, and counts its refusal. @param detail what the caller asked for. */
  async watch<T>(
    caller: Caller,
    detail: Readonly<Record<string, string>>,
    check: () => Promise<T>,
  ): Promise<T> {
    try {
      return await check();
    } catch (error) {
      this.count(caller, detail, error);
      throw error;
    }
  }

  /** Counts an error that is a refusal of what a caller asked for. */
  count(caller: Caller, detail: Readonly<Record<string, string>>, error: unknown): void {
    if (!isRefusal(error) || this.#counted.has(error)) return;
    this.#counted.add(error);
    if (caller.request !== undefined) this.#requests.add(caller.request);
    const told = { ...detail, code: error.code };
    this.#count("operation.refused", caller, told, detail["action"] ?? "");
  }

  /**
   * Counts the refusal with which a request ends, unless one of its checks has counted it: an operation may refuse what
   * no policy names, such as the data source of another organization.
   */
  countAtEnd(caller: Caller, detail: Readonly<Record<string, string>>, error: unknown): void {
    if (!(error instanceof AppError) || error.code !== "POLICY_DENIED") return;
    if (caller.request !== undefined && this.#requests.has(caller.request)) return;
    this.count(caller, detail, error);
  }

  /** Runs an authentication, and counts its failure. */
  watchAuthentication<T>(request: RequestOrigin, check: () => Promise<T>): Promise<T> {
    return check().catch((error: unknown) => {
      if (error instanceof AppError && error.code === "UNAUTHENTICATED") {
        const nobody = { ...anonymousCaller(NIL_ORG_ID), request };
        this.#count("authentication.failed", nobody, { reason: error.message }, "");
      }
      throw error;
    });
  }

  /** Removes what waits, to be stored. */
  take(): readonly AuditFact[] {
    const facts = [...this.#waiting.values()].map(({ fact, count }) => ({
      ...fact,
      detail: { ...fact.detail, count },
    }));
    this.#waiting.clear();
    return facts;
  }

  /** Counts facts again that could not be stored. */
  putBack(facts: readonly AuditFact[]): void {
    for (const fact of facts) {
      const count = Number(fact.detail["count"]);
      this.#add(JSON.stringify([fact.kind, "again", this.#waiting.size]), fact, count);
    }
  }

  #count(
    kind: string,
    caller: Caller,
    detail: Readonly<Record<string, string>>,
    subject: string,
  ): void {
    const { orgId, userId, agentId, keyId, request } = caller;
    const who = [orgId, userId, agentId, keyId, request?.peerAddress];
    const atMs = this.#clock.nowMs();
    const fact = { orgId, atMs, kind, subject, origin: originOf(caller), detail };
    this.#add(JSON.stringify([kind, detail, who]), fact, 1);
  }

  #add(key: string, fact: AuditFact, count: number): void {
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    if (this.#clock.nowMs() >= this.#windowEndsMs) {
      this.#windowEndsMs = this.#clock.nowMs() + AUDIT_REFUSALS_MS;
      this.#left = AUDIT_REFUSALS_MAX;
    }
    if (this.#left > 0) {
      this.#left -= 1;
      this.#waiting.set(key, { fact, count });
    } else this.#addToOthers(fact, count);
  }

  /**
   * Counts a refusal beyond the limit. One record of each kind says how many of these there were.
   */
  #addToOthers({ kind, atMs }: AuditFact, count: number): void {
    const others = this.#waiting.get(kind);
    if (others !== undefined) others.count += count;
    else {
      const detail = { others: true };
      this.#waiting.set(kind, {
        fact: { orgId: NIL_ORG_ID, atMs, kind, subject: "", detail },
        count,
      });
    }
  }
}

function isRefusal(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    (error.code === "POLICY_DENIED" || error.code === "APPROVAL_REQUIRED")
  );
}
