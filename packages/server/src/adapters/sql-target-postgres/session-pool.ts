import { assert } from "@steward/kernel/assert.js";
import { StatementError } from "../../plans/ports.js";
import { FairQueue, slotsPerParty } from "@steward/kernel/concurrency/fair-queue.js";
import { ORG_WAITING_MAX } from "../limits.js";
import { tooManyWait } from "../sql-target/fair-share.js";
import { toConnectError } from "./failure.js";
import { Session } from "./session.js";

/** How long an idle session is retained, in ms. */
const IDLE_MS = 30_000;

/** A caller in the queue for a session. */
interface Waiting {
  readonly orgId: string;
  readonly resolve: (session: Session) => void;
  readonly reject: (error: Error) => void;
}

interface Idle {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

/**
 * The connections to one data source. Organizations are served round-robin, and none may occupy all
 * connections. A session is reset before another organization uses it, so that settings and locks
 * never leak between organizations.
 */
export class SessionPool {
  readonly #url: string;
  readonly #sessionsMax: number;
  /** Sessions in use, and the organizations that use them. */
  readonly #taken = new Map<Session, string>();
  #idle: Idle[] = [];
  readonly #waiting = new FairQueue<Waiting>(ORG_WAITING_MAX);
  /** Callers that are served before all others. */
  #urgent: Waiting[] = [];
  #opening = 0;
  #isClosed = false;

  constructor(url: string, sessionsMax: number) {
    this.#url = url;
    this.#sessionsMax = sessionsMax;
  }

  /**
   * Acquires a session, which is returned by `release`.
   * @param options.signal aborts the wait.
   * @param options.isUrgent served before all queued callers.
   * @throws StatementError when no session can be opened; an `AbortError` when the signal is
   * aborted.
   */
  async acquire(
    orgId: string,
    options: { readonly signal: AbortSignal; readonly isUrgent?: boolean },
  ): Promise<Session> {
    const session = await this.#next(orgId, options);
    if (session.orgId !== orgId) await this.#prepare(session, options.signal);
    session.orgId = orgId;
    return session;
  }

  release(session: Session): void {
    this.#waiting.endTurn(this.#taken.get(session) ?? "");
    this.#taken.delete(session);
    if (session.isSpoilt || this.#isClosed) {
      session.close();
    } else {
      const timer = setTimeout(() => this.#drop(session), IDLE_MS).unref();
      this.#idle.push({ session, timer });
    }
    this.#serve();
  }

  /** Closes all connections; the server rolls back running transactions. */
  close(): void {
    this.#isClosed = true;
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      session.close();
    }
    for (const session of this.#taken.keys()) session.destroy();
    for (const { reject } of [...this.#urgent.splice(0), ...this.#waiting.drain()])
      reject(closed());
  }

  /** Resets a session when its last user was another organization. */
  async #prepare(session: Session, signal: AbortSignal): Promise<void> {
    const hangUp = (): void => session.destroy();
    signal.addEventListener("abort", hangUp, { once: true });
    try {
      if (session.orgId !== undefined) await session.command("DISCARD ALL");
      await session.limitTemporaryFiles();
    } catch (error) {
      session.spoil();
      this.release(session);
      throw toConnectError(error);
    } finally {
      signal.removeEventListener("abort", hangUp);
    }
  }

  #next(
    orgId: string,
    { signal, isUrgent = false }: { readonly signal: AbortSignal; readonly isUrgent?: boolean },
  ): Promise<Session> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#urgent = this.#urgent.filter((other) => other !== waiting);
        this.#waiting.remove(orgId, waiting);
        reject(new DOMException("nobody waits any more", "AbortError"));
      };
      const waiting: Waiting = {
        orgId,
        resolve: (session) => {
          signal.removeEventListener("abort", leave);
          resolve(session);
        },
        reject: (error) => {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      if (isUrgent) this.#urgent.unshift(waiting);
      else if (!this.#waiting.push(orgId, waiting)) waiting.reject(tooManyWait());
      this.#serve();
    });
  }

  #serve(): void {
    this.#forgetSpoilt();
    while (this.#idle.length > 0) {
      const next = this.#urgent.shift() ?? this.#takeWaiting();
      if (next === undefined) break;
      const session = this.#takeIdle(next.orgId);
      assert(session !== undefined, "there is an idle session");
      this.#taken.set(session, next.orgId);
      next.resolve(session);
    }
    const wanted = Math.min(
      this.#urgent.length + this.#waiting.size - this.#opening,
      this.#sessionsMax - this.#taken.size - this.#idle.length - this.#opening,
    );
    for (let opened = 0; opened < wanted; opened += 1) void this.#open();
  }

  /** The next caller in the queue; organizations without a session precede those with some. */
  #takeWaiting(): Waiting | undefined {
    const taken = [...this.#taken.values()];
    const countOf = (orgId: string): number => taken.filter((other) => other === orgId).length;
    const share = slotsPerParty(this.#sessionsMax);
    return (
      this.#waiting.take((orgId) => countOf(orgId) === 0) ??
      this.#waiting.take((orgId) => countOf(orgId) < share)
    );
  }

  /**
   * Removes idle sessions that the server has closed, because they must not count as connections.
   */
  #forgetSpoilt(): void {
    this.#idle = this.#idle.filter(({ session, timer }) => {
      if (session.isSpoilt) clearTimeout(timer);
      return !session.isSpoilt;
    });
  }

  /** Prefers a session last used by the organization, which needs no reset. */
  #takeIdle(orgId: string): Session | undefined {
    const found = this.#idle.find(({ session }) => session.orgId === orgId) ?? this.#idle.at(-1);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#idle = this.#idle.filter((idle) => idle !== found);
    return found.session;
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    try {
      const session = await Session.open(this.#url);
      this.#opening -= 1;
      this.release(session);
    } catch (error) {
      this.#opening -= 1;
      // Only one waiting caller gets the error; the others make attempts of their own.
      const next = this.#urgent.shift() ?? this.#waiting.take(() => true);
      next?.reject(toConnectError(error));
      this.#serve();
    }
  }

  #drop(session: Session): void {
    this.#idle = this.#idle.filter((idle) => idle.session !== session);
    session.close();
  }
}

function closed(): StatementError {
  return new StatementError("rolled_back", "The data source is closed");
}
