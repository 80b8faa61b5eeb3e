import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Acknowledged, Address } from "./plan-driver.js";
import { STEWARD } from "./server-process.js";
import type { StoreView } from "./store-view.js";

/** A record of the audit log, as far as it is looked at. */
interface Entry {
  readonly kind: string;
  readonly subject: string;
  readonly request?: { readonly id: string };
  readonly detail: {
    readonly status?: string;
    readonly verifier_key?: string;
    readonly events?: readonly LoggedEvent[];
  };
}

interface LoggedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly status?: string;
  readonly approval_id?: string;
  readonly decision?: string;
}

/** The personal values of a record, by their places. */
type Values = Readonly<Record<string, string>>;

function valuesOf(stored: unknown): Values {
  return typeof stored === "string" ? (JSON.parse(stored) as Values) : {};
}

const PLAN_EVENTS = "SELECT plan_id, sequence FROM plan_events";

/**
 * An auditor of servers under fire. It keeps a checkpoint before each kill. Afterwards the log must begin with the
 * records below every kept checkpoint, have a record of every acknowledged effect, and none twice. The roots are computed
 * here from the records, by the definition of RFC 6962.
 */
export class Auditor {
  readonly #dir: string;
  readonly #view: StoreView;
  readonly #leaves: Buffer[] = [];
  /** Plan and sequence of every recorded event. */
  readonly #events = new Set<string>();
  /** Plan and step of every recorded completion. */
  readonly #completed = new Set<string>();
  readonly #operations = new Set<string>();
  /** The newest approval that was requested for a step, and the approved ones. */
  readonly #requested = new Map<string, string>();
  readonly #approved = new Set<string>();
  readonly #keys: string[] = [];
  #kept: { readonly size: number; readonly root: string } | undefined;

  /** @param dir a directory for the kept checkpoint and the export. */
  constructor(dir: string, view: StoreView) {
    this.#dir = dir;
    this.#view = view;
  }

  get #checkpointFile(): string {
    return join(this.#dir, "kept-checkpoint");
  }

  /** Keeps the newest checkpoint. A server that is away now, or has no record yet, gives none. */
  async keepCheckpoint(url: Address): Promise<void> {
    const note = await fetch(`${addressOf(url)}/audit/checkpoint`, AUDITOR)
      .then((answer) => (answer.ok ? answer.text() : ""))
      .catch(() => "");
    const [, size, root] = note.split("\n");
    if (size === undefined || root === undefined || Number(size) === 0) return;
    if (!existsSync(this.#checkpointFile)) writeFileSync(this.#checkpointFile, note);
    this.#kept = { size: Number(size), root };
  }

  /**
   * Checks the log: it begins with the records of the kept checkpoint, and has a record of every completed step of these
   * plans.
   */
  async expectTruth(url: Address, plans: readonly Acknowledged[]): Promise<void> {
    await flushed(url);
    await this.#readOn();
    if (this.#kept !== undefined) {
      const { size, root } = this.#kept;
      expect(this.#leaves.length).toBeGreaterThanOrEqual(size);
      expect(rootOf(this.#leaves.slice(0, size)).toString("base64")).toBe(root);
    }
    await this.#untilRecorded(
      plans.flatMap(({ planId, ran }) => ran.map((id) => `${planId} ${id}`)),
      this.#completed,
    );
  }

  /**
   * Checks the whole log at the end: its records of plans tell exactly the events of the plans' logs, each once.
   */
  async expectWholeTruth(url: Address, plans: readonly Acknowledged[]): Promise<void> {
    await this.expectTruth(url, plans);
    const events = (await this.#view.all(PLAN_EVENTS)).map(
      (row) => `${String(row["plan_id"])} ${String(row["sequence"])}`,
    );
    expect(events.length).toBeGreaterThan(0);
    await this.#untilRecorded(events, this.#events);
    expect(this.#events.size).toBe(events.length);
  }

  /** `steward audit verify` finds the log's export intact, and consistent with the first kept checkpoint. */
  async expectVerified(url: Address): Promise<void> {
    const exported = join(this.#dir, "audit-export");
    const env = { PATH: process.env["PATH"] ?? "", SERVICE_URL: addressOf(url) };
    await run(process.execPath, [STEWARD, "audit", "export", exported], { env });
    const keys = this.#keys.flatMap((key) => ["--key", key]);
    // A server that is killed at once has no checkpoint yet.
    const kept = existsSync(this.#checkpointFile) ? ["--checkpoint", this.#checkpointFile] : [];
    await run(process.execPath, [STEWARD, "audit", "verify", exported, ...keys, ...kept], { env });
  }

  /** Each of these requests has a record that its operation of this kind has succeeded. */
  expectOperations(kind: string, requestIds: readonly string[]): void {
    const missing = requestIds.filter((id) => !this.#operations.has(`${kind} ${id}`));
    expect(missing).toEqual([]);
  }

  /** A node of several leaves what another living node has written to that one, so it is waited for. */
  async #untilRecorded(wanted: readonly string[], recorded: ReadonlySet<string>): Promise<void> {
    const missing = async (): Promise<readonly string[]> => {
      await this.#readOn();
      return wanted.filter((each) => !recorded.has(each));
    };
    await expect.poll(missing).toEqual([]);
  }

  async #readOn(): Promise<void> {
    const from = this.#leaves.length;
    const rows = await this.#view.records(from);
    for (const { record_index: index, entry, personal_values: values } of rows) {
      expect(index).toBe(this.#leaves.length);
      this.#leaves.push(sha256(LEAF, Buffer.from(String(entry))));
      this.#read(JSON.parse(String(entry)) as Entry, valuesOf(values));
    }
  }

  #read({ kind, subject, request, detail }: Entry, values: Values): void {
    if (kind === "audit.key_used") this.#keys.push(detail.verifier_key ?? "");
    const requestId = values["request.id"] ?? request?.id ?? "";
    if (detail.status === "succeeded") this.#operations.add(`${kind} ${requestId}`);
    const events = kind === "plan.changed" ? (detail.events ?? []) : [];
    for (const [at, event] of events.entries()) {
      const id = `${subject} ${String(event.sequence)}`;
      expect(this.#events.has(id), `event ${id} is recorded once`).toBe(false);
      this.#events.add(id);
      this.#readEvent(`${subject} ${values[`events.${String(at)}.step_id`] ?? ""}`, event);
    }
  }

  #readEvent(step: string, { type, status, approval_id: id = "", decision }: LoggedEvent): void {
    if (type === "PlanApprovalRequested") this.#requested.set(step, id);
    if (type === "PlanApprovalDecided" && decision === "approve") this.#approved.add(id);
    if (type !== "PlanStepExecuted" || status !== "completed") return;
    expect(this.#completed.has(step), `${step} has completed once`).toBe(false);
    this.#completed.add(step);
    const approval = this.#requested.get(step);
    expect(approval === undefined || this.#approved.has(approval), `${step} was approved`).toBe(
      true,
    );
  }
}

const AUDITOR = { headers: { "x-user-role": "auditor" } };
const [LEAF, NODE] = [Buffer.from([0]), Buffer.from([1])];
const run = promisify(execFile);

function addressOf(url: Address): string {
  return typeof url === "string" ? url : url();
}

/** A listing of the records waits until everything acknowledged has its record. */
async function flushed(url: Address): Promise<void> {
  await expect
    .poll(() =>
      fetch(`${addressOf(url)}/api/audit/records?limit=1`, AUDITOR).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

/** RFC 6962 §2.1: the Merkle tree hash of one or more leaves. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first !== undefined && leaves.length === 1) return first;
  const left = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(NODE, rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}
