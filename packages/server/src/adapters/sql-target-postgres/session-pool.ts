import { StatementError } from "../../plans/ports.js";
import { toConnectError } from "./failure.js";
import { Session } from "./session.js";

/** Steps that may wait for a session; more mean that the data source has long stopped keeping up. */
const WAITING_MAX = 10_000;
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
 * The connections to one data source. What a step may leave in a session, a setting or a lock, never
 * reaches another organization's step: the session is reset in between.
 */
export class SessionPool {
  readonly #url: string;
  readonly #sessionsMax: number;
  readonly #busy = new Set<Session>();
  #idle: Idle[] = [];
  #waiting: Waiting[] = [];
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
    this.#busy.delete(session);
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
    for (const session of this.#busy) session.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
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
    if (this.#waiting.length >= WAITING_MAX) {
      const message = "Too many statements wait for the data source";
      return Promise.reject(new StatementError("rolled_back", message));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
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
      if (isUrgent) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#serve();
    });
  }

  #serve(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const session = this.#takeIdle(first.orgId);
      if (session === undefined) break;
      this.#waiting.shift();
      this.#busy.add(session);
      first.resolve(session);
    }
    const wanted = Math.min(
      this.#waiting.length - this.#opening,
      this.#sessionsMax - this.#busy.size - this.#opening,
    );
    for (let opened = 0; opened < wanted; opened += 1) void this.#open();
  }

  /** The organization's own if there is one: it needs no reset. */
  #takeIdle(orgId: string): Session | undefined {
    this.#idle = this.#idle.filter(({ session, timer }) => {
      if (session.isSpoilt) clearTimeout(timer);
      return !session.isSpoilt;
    });
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
      // Whoever has waited longest is told; the others have their own attempts.
      this.#waiting.shift()?.reject(toConnectError(error));
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
