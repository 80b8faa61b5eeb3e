import { assert } from "../../kernel/assert.js";
import { StatementError } from "../../plans/ports.js";
import { FairQueue, slotsPerParty } from "../../kernel/fair-queue.js";
import { ORG_WAITING_MAX } from "../../kernel/limits.js";
import { tooManyWait } from "../fair-share.js";
import { toConnectError } from "./failure.js";
import { Session } from "./session.js";

/** How long a session without work is kept, in ms. */
const IDLE_MS = 30_000;

/** Somebody who waits for a session. */
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
 * The connections to one data source, which organizations get one after the other, and none of them all. What a step may leave in a session, a setting or a lock, never
 * reaches another organization's step: the session is reset in between.
 */
export class SessionPool {
  readonly #url: string;
  readonly #sessionsMax: number;
  /** Sessions that are used, and by whom. */
  readonly #taken = new Map<Session, string>();
  #idle: Idle[] = [];
  readonly #waiting = new FairQueue<Waiting>(ORG_WAITING_MAX);
  /** Those who go before all others. */
  #urgent: Waiting[] = [];
  #opening = 0;
  #isClosed = false;

  constructor(url: string, sessionsMax: number) {
    this.#url = url;
    this.#sessionsMax = sessionsMax;
  }

  /**
   * A session to give back by `release`.
   * @param options.signal aborted: it is not waited for any more.
   * @param options.isUrgent it goes before those that wait.
   * @throws StatementError when none can be had, or the signal is aborted: then an `AbortError`.
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
    this.#taken.delete(session);
    if (session.isSpoilt || this.#isClosed) {
      session.close();
    } else {
      const timer = setTimeout(() => this.#drop(session), IDLE_MS).unref();
      this.#idle.push({ session, timer });
    }
    this.#serve();
  }

  /** Hangs up; the server rolls back what still runs. */
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

  /** Makes a session fit for another organization than the one before, if there was one. */
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
      const next = this.#urgent.shift() ?? this.#waiting.take((orgId) => this.#mayHaveOne(orgId));
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

  #mayHaveOne(orgId: string): boolean {
    const own = [...this.#taken.values()].filter((other) => other === orgId).length;
    return own < slotsPerParty(this.#sessionsMax);
  }

  /** Sessions that the server has ended while they were idle must not count as connections. */
  #forgetSpoilt(): void {
    this.#idle = this.#idle.filter(({ session, timer }) => {
      if (session.isSpoilt) clearTimeout(timer);
      return !session.isSpoilt;
    });
  }

  /** The organization's own if there is one: it needs no reset. */
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
      // Whoever is next is told; the others have their own attempts.
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
