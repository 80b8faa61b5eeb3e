import { byteText } from "@steward/kernel/byte-text.js";
import type { Clock } from "@steward/kernel/clock.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import type { CountedKind, StorageGate } from "@steward/kernel/storage-gate.js";
import type { Telemetry } from "../../kernel/telemetry.js";
import { MEASURED_ORGANIZATIONS_MAX, STORAGE_WARNING_SHARE } from "../limits.js";
import type { MeterPlace, StorageMeter } from "../ports.js";
import { type StorageReport, type StoredBytes, type StoredKind, totalOf } from "./stored-bytes.js";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Age at which a measurement is repeated, in ms. */
const MEASURE_EVERY_MS = 5 * 60 * 1000;
/** The same after a refusal, so that deletions soon make room: at least, in ms. */
const MEASURE_AGAIN_MS = 10 * 1000;
/** And as a multiple of what the last measurement took: then measuring takes 5 % of the time. */
const MEASURE_AGAIN = 19;
/** Interval between two looks for measurements that are due, in ms. */
const LOOK_EVERY_MS = 5 * 1000;
/** Pause after a step, as a multiple of its duration: measuring takes 1 % of the time at most. */
const REST = 99;
/** The same while somebody waits for the measurement, and before the first one of an organization has ended. */
const FIRST_REST = 4;

/** Dependencies of the quotas. */
export interface StorageQuotaParts {
  readonly meter: StorageMeter;
  /** Bytes of the state where it has files of its own; absent: the meter counts it. */
  readonly stateBytes?: (orgId: string) => number;
  /** Absent: there is no quota, and organizations are measured only for reports. */
  readonly bytesMax?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/** What this process knows of an organization. */
interface Account {
  readonly orgId: string;
  measured: StorageReport["measured"];
  /** Bytes of each kind that this process has written since the kind was measured. */
  addedBytes: AddedBytes;
  /** When it must be measured again, in ms since the epoch. */
  dueAtMs: number;
  /** When it must be measured again after a request was refused, in ms since the epoch. */
  dueAfterRefusalAtMs: number;
  /** Whether a request was refused since the measurement. */
  isRefused: boolean;
  /** Day of the last warning, in days since the epoch. */
  warnedDay: number;
  /** Called when a measurement has ended. */
  readonly waiting: Set<() => void>;
}

/**
 * The quota of bytes of each organization. Every process measures the organizations that write
 * through it, in the background and in small steps, and counts what it writes in between. So no
 * commit updates a counter. An organization is admitted until its first measurement has ended,
 * because a restart must not refuse anybody.
 */
export class StorageQuota implements StorageGate, AsyncDisposable {
  readonly #parts: StorageQuotaParts;
  readonly #accounts = new Map<string, Account>();
  readonly #loop: WorkerLoop;
  /** The measurement in progress, one step at a time. */
  #steps: AsyncGenerator<void> | undefined;
  #rest = FIRST_REST;
  /** What the measurement in progress has taken without its pauses, in ms. */
  #busyMs = 0;

  constructor(parts: StorageQuotaParts) {
    this.#parts = parts;
    this.#loop = new WorkerLoop({
      name: "measuring what organizations store",
      work: () => this.#next(),
      pollMs: LOOK_EVERY_MS,
      restMs: (durationMs) => {
        this.#busyMs += durationMs;
        return this.#rest * durationMs;
      },
      begin: "later",
      end: "finish",
      log: parts.log,
    });
  }

  admit(orgId: string, kind: CountedKind, bytes: number): void {
    const { bytesMax, telemetry } = this.#parts;
    if (bytesMax === undefined) return;
    const account = this.#account(orgId);
    const stored = storedBytes(account);
    if (stored !== undefined && stored + bytes > bytesMax) {
      telemetry.count("steward_storage_refusals_total");
      this.#measureAgain(account);
      throw refusal(stored, bytes, bytesMax);
    }
    addTo(account, kind, bytes);
  }

  add(orgId: string, kind: CountedKind, bytes: number): void {
    if (this.#parts.bytesMax === undefined) return;
    const account = this.#account(orgId);
    addTo(account, kind, bytes);
    this.#warn(account);
  }

  /** What the organization stores. @param signal ends the wait for the first measurement. */
  async report(orgId: string, signal: AbortSignal): Promise<StorageReport> {
    const { bytesMax, clock } = this.#parts;
    const account = this.#account(orgId);
    // Without a quota, an organization is measured only for its reports.
    if (bytesMax === undefined) this.#measureAgain(account);
    const isOld = bytesMax === undefined && account.dueAtMs <= clock.nowMs();
    if (account.measured === undefined || isOld) await this.#measurement(account, signal);
    const { measured, addedBytes } = account;
    return {
      ...(measured === undefined ? {} : { measured }),
      addedBytes: sumOf(addedBytes),
      ...(bytesMax === undefined ? {} : { quotaBytes: bytesMax }),
    };
  }

  /** The largest share of its quota that an organization is known to store; 0 without a quota. */
  largestShare(): number {
    const { bytesMax } = this.#parts;
    if (bytesMax === undefined) return 0;
    const stored = [...this.#accounts.values()].map((account) => storedBytes(account) ?? 0);
    return stored.reduce((most, bytes) => Math.max(most, bytes), 0) / bytesMax;
  }

  /** Waits for the step in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
    for (const account of this.#accounts.values()) finishWaits(account);
  }

  /** The account of an organization; a new one is measured at once. The oldest used is evicted. */
  #account(orgId: string): Account {
    const known = this.#accounts.get(orgId);
    if (known !== undefined) {
      this.#accounts.delete(orgId);
      this.#accounts.set(orgId, known);
      return known;
    }
    const account = newAccount(orgId);
    this.#accounts.set(orgId, account);
    const [oldest] = this.#accounts.values();
    if (this.#accounts.size > MEASURED_ORGANIZATIONS_MAX && oldest !== undefined) {
      this.#accounts.delete(oldest.orgId);
      finishWaits(oldest);
    }
    this.#loop.wake();
    return account;
  }

  /** Measures again soon, unless that has just been done. */
  #measureAgain(account: Account): void {
    account.isRefused = true;
    account.dueAtMs = Math.min(account.dueAtMs, account.dueAfterRefusalAtMs);
    this.#loop.wake();
  }

  /** Resolves when the organization was measured, or when the signal is aborted. */
  async #measurement(account: Account, signal: AbortSignal): Promise<void> {
    if (this.#loop.isEnding || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        account.waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      account.waiting.add(done);
      signal.addEventListener("abort", done);
      this.#loop.wake();
    });
  }

  async #next(): Promise<BatchEnd> {
    this.#steps ??= this.#dueMeasurement();
    if (this.#steps === undefined) return "idle";
    try {
      if ((await this.#steps.next()).done !== true) return "more";
    } catch (error) {
      this.#steps = undefined;
      throw error;
    }
    this.#steps = undefined;
    return "more";
  }

  /** The measurement of the next organization: those never measured come first. */
  #dueMeasurement(): AsyncGenerator<void> | undefined {
    const { bytesMax, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const due = [...this.#accounts.values()]
      .filter((each) => !this.#loop.setAside.isWaiting(each.orgId))
      .filter((each) => each.dueAtMs <= nowMs && (bytesMax !== undefined || each.waiting.size > 0))
      .reduce<Account | undefined>(
        (first, each) => (first === undefined || each.dueAtMs < first.dueAtMs ? each : first),
        undefined,
      );
    if (due === undefined) return undefined;
    this.#busyMs = 0;
    const isAwaited = due.measured === undefined || due.isRefused || due.waiting.size > 0;
    this.#rest = isAwaited ? FIRST_REST : REST;
    return this.#loop.setAside.inBatches(due.orgId, () => this.#measure(due));
  }

  async *#measure(account: Account): AsyncGenerator<void> {
    const { meter, stateBytes, clock } = this.#parts;
    const bytes = { plans: 0, memory: 0, usage: 0, state: 0, audit: 0 };
    // What is added before the first page of its kind is read is in the pages.
    const before: Record<CountedKind, number> = { ...account.addedBytes };
    const begun = new Set<StoredKind>();
    for (let place: MeterPlace | undefined = { table: 0 }; place !== undefined;) {
      const added = account.addedBytes;
      const page = await meter.page(account.orgId, place);
      if (!begun.has(page.kind) && isCounted(page.kind)) before[page.kind] = added[page.kind];
      begun.add(page.kind);
      bytes[page.kind] += page.bytes;
      place = page.next;
      yield;
    }
    if (stateBytes !== undefined) {
      bytes.state += stateBytes(account.orgId);
      before.state = account.addedBytes.state;
    }
    this.#measured(account, bytes, before, clock.nowMs());
  }

  #measured(account: Account, bytes: StoredBytes, before: AddedBytes, nowMs: number): void {
    account.measured = { bytes, atMs: nowMs };
    // What was written after the measurement of its kind had begun may be missing in it.
    for (const kind of COUNTED_KINDS) addTo(account, kind, -before[kind]);
    account.dueAtMs = nowMs + MEASURE_EVERY_MS;
    account.dueAfterRefusalAtMs = nowMs + Math.max(MEASURE_AGAIN_MS, MEASURE_AGAIN * this.#busyMs);
    account.isRefused = false;
    finishWaits(account);
    this.#warn(account);
  }

  /** Tells the operator once a day. */
  #warn(account: Account): void {
    const { bytesMax, clock, log } = this.#parts;
    const stored = storedBytes(account);
    if (bytesMax === undefined || stored === undefined) return;
    const day = Math.floor(clock.nowMs() / DAY_MS);
    if (stored < STORAGE_WARNING_SHARE * bytesMax || account.warnedDay === day) return;
    account.warnedDay = day;
    const { orgId } = account;
    log.warn(
      { orgId, storedBytes: stored, quotaBytes: bytesMax },
      "an organization stores more than 80 % of its quota (SERVICE_ORG_BYTES_MAX)",
    );
  }
}

type AddedBytes = Readonly<Record<CountedKind, number>>;

const COUNTED_KINDS = ["plans", "memory", "state"] as const satisfies readonly CountedKind[];

function isCounted(kind: StoredKind): kind is CountedKind {
  return COUNTED_KINDS.some((each) => each === kind);
}

function addTo(account: Account, kind: CountedKind, bytes: number): void {
  account.addedBytes = { ...account.addedBytes, [kind]: account.addedBytes[kind] + bytes };
}

function sumOf(added: AddedBytes): number {
  return COUNTED_KINDS.reduce((sum, kind) => sum + added[kind], 0);
}

function newAccount(orgId: string): Account {
  return {
    ...{ orgId, measured: undefined, warnedDay: -1 },
    addedBytes: { plans: 0, memory: 0, state: 0 },
    ...{ dueAtMs: 0, dueAfterRefusalAtMs: 0, isRefused: false },
    waiting: new Set(),
  };
}

/** `undefined`: not measured yet. */
function storedBytes({ measured, addedBytes }: Account): number | undefined {
  return measured === undefined ? undefined : totalOf(measured.bytes) + sumOf(addedBytes);
}

function finishWaits({ waiting }: Account): void {
  for (const done of [...waiting]) done();
}

function refusal(stored: number, bytes: number, bytesMax: number): AppError {
  const wanted = bytes === 0 ? "" : `, and this needs about ${byteText(bytes)} more`;
  return new AppError(
    "QUOTA_EXCEEDED",
    `Your organization stores ${byteText(stored)} of the ${byteText(bytesMax)} that it may store${wanted}. Delete ` +
      "data, then repeat the request: `steward usage storage` shows what takes the space; keep data for a shorter " +
      "time (steward retention set plans=30), or delete memory (steward memory delete) or a session (steward erase " +
      "--session). Deletions count within a minute. The operator's setting is SERVICE_ORG_BYTES_MAX",
  );
}
