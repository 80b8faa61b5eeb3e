import { EventEmitter } from "node:events";
import type { Log } from "@steward/kernel/log.js";
import { type BatchEnd, WorkerLoop } from "@steward/kernel/concurrency/worker-loop.js";
import type { PlanRef } from "../../plans/ports.js";
import type { Database } from "./database.js";

/** Messages between nodes. They are only hints: a receiver must also poll. */
export interface SignalEvents {
  /** A plan has changed. */
  readonly changed: readonly [ref: PlanRef];
  /** Another node requests the release of a plan. */
  readonly requested: readonly [ref: PlanRef];
  /** Memory entries of an organization were added or deleted. */
  readonly memory: readonly [orgId: string];
  /** Signals may have been lost, so anything may have changed. */
  readonly missed: readonly [];
}

const CHANNEL = "steward";
/** How long signals are collected, in ms; those of that time share one notification. */
const GATHER_MS = 5;
/** Maximum size of one notification in bytes; PostgreSQL's limit is below 8000. */
const PAYLOAD_LENGTH_MAX = 7900;
/** Pause before a lost connection is reopened, in ms. */
const RECONNECT_MS = 500;

/** NOTIFY and LISTEN between the nodes of one store. */
export class Signals extends EventEmitter<{
  [Name in keyof SignalEvents]: [...SignalEvents[Name]];
}> {
  readonly #db: Database;
  readonly #node: { readonly nodeId: string; readonly others: readonly string[] };
  readonly #waiting = new Set<string>();
  readonly #listening: WorkerLoop;
  readonly #sending: WorkerLoop;

  constructor(
    db: Database,
    node: { readonly nodeId: string; readonly others: readonly string[] },
    log: Log,
  ) {
    super();
    this.setMaxListeners(0);
    this.#db = db;
    this.#node = node;
    this.#listening = new WorkerLoop({
      name: "listening to other nodes",
      work: (signal) => this.#listen(signal),
      restMs: () => RECONNECT_MS,
      backoff: { baseMs: RECONNECT_MS, capMs: 10 * RECONNECT_MS },
      begin: "now",
      end: "abandon",
      log,
    });
    this.#sending = new WorkerLoop({
      name: "notifying other nodes",
      work: () => this.#flush(),
      gatherMs: GATHER_MS,
      begin: "later",
      end: "drain",
      log,
    });
  }

  /** Notifies the other nodes that a plan has changed. */
  changed(ref: PlanRef): void {
    if (this.#node.others.length > 0) this.#send(`changed ${ref.orgId} ${ref.planId}`);
  }

  /** Notifies the other nodes that the memory of organizations has changed. */
  memory(orgIds: Iterable<string>): void {
    if (this.#node.others.length === 0) return;
    for (const orgId of new Set(orgIds)) this.#send(`memory ${orgId}`);
  }

  /** Requests the release of a plan from a node. */
  requested(nodeId: string, ref: PlanRef): void {
    this.#send(`requested ${ref.orgId} ${ref.planId} ${nodeId}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending[Symbol.asyncDispose]();
    await this.#listening[Symbol.asyncDispose]();
  }

  #send(line: string): void {
    this.#waiting.add(line);
    this.#sending.wake();
  }

  /** Signals that cannot be sent are dropped, because receivers poll too. */
  async #flush(): Promise<BatchEnd> {
    const lines = [...this.#waiting];
    this.#waiting.clear();
    for (const payload of payloadsOf(this.#node.nodeId, lines)) {
      await this.#db.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]);
    }
    return "idle";
  }

  /** Resolves when the connection has ended, or the abort signal ends it. */
  async #listen(signal: AbortSignal): Promise<BatchEnd> {
    const client = this.#db.dedicatedClient();
    let isConnected = false;
    const stop = (): void => {
      // A client that is ended while it connects never says that it has ended.
      if (isConnected) client.end().catch(() => undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
    const ended = new Promise<void>((resolve) => {
      client.on("end", resolve);
      client.on("error", () => {
        resolve();
      });
    });
    client.on("notification", ({ payload = "" }) => {
      this.#receive(payload);
    });
    try {
      await client.connect();
      isConnected = true;
      await client.query(`LISTEN ${CHANNEL}`);
      this.emit("missed");
      if (!signal.aborted) await ended;
      return "more";
    } finally {
      signal.removeEventListener("abort", stop);
      await client.end().catch(() => undefined);
    }
  }

  #receive(payload: string): void {
    const [sender, ...lines] = payload.split("\n");
    if (sender === this.#node.nodeId) return;
    for (const line of lines) {
      const [kind, orgId = "", planId = "", nodeId] = line.split(" ");
      if (kind === "changed") this.emit("changed", { orgId, planId });
      if (kind === "memory") this.emit("memory", orgId);
      if (kind === "requested" && nodeId === this.#node.nodeId)
        this.emit("requested", { orgId, planId });
    }
  }
}

function* payloadsOf(sender: string, lines: readonly string[]): Generator<string> {
  let payload = sender;
  for (const line of lines) {
    if (payload.length + line.length + 1 > PAYLOAD_LENGTH_MAX) {
      yield payload;
      payload = sender;
    }
    payload += `\n${line}`;
  }
  if (payload !== sender) yield payload;
}
