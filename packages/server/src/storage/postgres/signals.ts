import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../../kernel/log.js";
import type { PlanRef } from "../../plans/ports.js";
import type { Database } from "./database.js";

/** What one node tells the others. Only hints: whoever waits for one also looks now and then. */
export interface SignalEvents {
  /** A plan has changed. */
  readonly changed: readonly [ref: PlanRef];
  /** Another node asks this one to let go of a plan. */
  readonly wanted: readonly [ref: PlanRef];
  /** Memory entries were added or deleted. */
  readonly memory: readonly [];
  /** Signals may have been lost: everything may have changed. */
  readonly missed: readonly [];
}

const CHANNEL = "steward";
/** How long signals wait for others, in ms: those of that time share one notification. */
const GATHER_MS = 5;
/** Bytes of one notification; PostgreSQL takes fewer than 8000. */
const PAYLOAD_LENGTH_MAX = 7900;
/** Pause before a lost connection is opened again, in ms. */
const RECONNECT_MS = 500;

/** NOTIFY and LISTEN between the nodes of one store. */
export class Signals extends EventEmitter<{
  [Name in keyof SignalEvents]: [...SignalEvents[Name]];
}> {
  readonly #db: Database;
  readonly #log: Log;
  readonly #node: { readonly nodeId: string; readonly others: readonly string[] };
  readonly #waiting = new Set<string>();
  readonly #closing = new AbortController();
  readonly #listening: Promise<void>;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    db: Database,
    node: { readonly nodeId: string; readonly others: readonly string[] },
    log: Log,
  ) {
    super();
    this.setMaxListeners(0);
    this.#db = db;
    this.#node = node;
    this.#log = log;
    this.#listening = this.#listen();
  }

  /** Tells every other node that a plan has changed. */
  changed(ref: PlanRef): void {
    if (this.#node.others.length > 0) this.#send(`changed ${ref.orgId} ${ref.planId}`);
  }

  /** Tells every other node that memory has changed. */
  memory(): void {
    if (this.#node.others.length > 0) this.#send("memory");
  }

  /** Asks a node to let go of a plan. */
  wanted(nodeId: string, ref: PlanRef): void {
    this.#send(`wanted ${ref.orgId} ${ref.planId} ${nodeId}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#flush();
    await this.#sending;
    await this.#client?.end().catch(() => undefined);
    await this.#listening;
  }

  #send(line: string): void {
    this.#waiting.add(line);
    this.#timer ??= setTimeout(() => {
      this.#flush();
    }, GATHER_MS);
  }

  #flush(): void {
    this.#timer = undefined;
    const lines = [...this.#waiting];
    this.#waiting.clear();
    for (const payload of payloadsOf(this.#node.nodeId, lines)) {
      this.#sending = this.#sending.then(async () => {
        await this.#db.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
      });
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#listenOnce(signal);
      } catch (error) {
        this.#log.warn({ err: error }, "signals of other nodes cannot be heard now");
      }
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection has ended. */
  async #listenOnce(signal: AbortSignal): Promise<void> {
    const client = this.#db.dedicatedClient();
    this.#client = client;
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
      await client.query(`LISTEN ${CHANNEL}`);
      this.emit("missed");
      if (!signal.aborted) await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #receive(payload: string): void {
    const [sender, ...lines] = payload.split("\n");
    if (sender === this.#node.nodeId) return;
    for (const line of lines) {
      const [kind, orgId = "", planId = "", nodeId] = line.split(" ");
      if (kind === "changed") this.emit("changed", { orgId, planId });
      if (kind === "memory") this.emit("memory");
      if (kind === "wanted" && nodeId === this.#node.nodeId) this.emit("wanted", { orgId, planId });
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
