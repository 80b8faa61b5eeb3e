import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type StewardClient } from "@steward/client";
import { silentLog } from "@steward/kernel/log.js";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { openApp, type App, type AppOptions } from "../app.js";

/** A caller of the server, by headers or by a credential. */
type Who = Omit<Parameters<typeof createClient>[0], "baseUrl">;

type KeyDraft = Partial<Parameters<StewardClient["keys"]["createApiKey"]>[0]>;

/** A server with the data source `shop`, a new copy of the sample database, and a store of its own. */
export class ShopServer implements AsyncDisposable {
  readonly #directory: string;
  readonly #options: AppOptions;
  #app: App;

  private constructor(directory: string, options: AppOptions, app: App) {
    this.#directory = directory;
    this.#options = options;
    this.#app = app;
  }

  /** @param options beside the store in a file and the data source. */
  static async open(options: AppOptions = {}): Promise<ShopServer> {
    const directory = mkdtempSync(join(tmpdir(), "steward-shop-"));
    createSampleDatabase(join(directory, "shop.db"));
    const all: AppOptions = {
      ...{ port: 0, log: silentLog, dataDir: directory },
      databaseUrl: `sqlite:${join(directory, "store.db")}`,
      dataSources: [{ name: "shop", url: `sqlite:${join(directory, "shop.db")}` }],
      ...options,
    };
    return new ShopServer(directory, all, await openApp(all));
  }

  get port(): number {
    return this.#app.address.port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  client(who: Who): StewardClient {
    return createClient({ baseUrl: this.baseUrl, maxRetries: 0, ...who });
  }

  /** Makes a key for each name as the organization's administrator; it has these roles unless its draft has others. */
  async makeKeys(
    orgId: string,
    roles: readonly string[],
    drafts: Readonly<Record<string, KeyDraft>>,
  ): Promise<Readonly<Record<string, string>>> {
    const { keys } = this.client({ orgId, role: "admin", userId: "root" });
    const made: [name: string, key: string][] = [];
    for (const [name, draft] of Object.entries(drafts)) {
      made.push([name, (await keys.createApiKey({ name, roles, ...draft })).api_key]);
    }
    return Object.fromEntries(made);
  }

  /** Closes the server, and opens another one on the same store. */
  async restart(): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
    this.#app = await openApp(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true });
  }
}

/** A new organization on plain loopback. */
export class Tenant {
  readonly orgId: string = crypto.randomUUID();
  readonly #shop: ShopServer;

  constructor(shop: ShopServer) {
    this.#shop = shop;
  }

  get baseUrl(): string {
    return this.#shop.baseUrl;
  }

  /** Alice's agent. */
  get agent(): StewardClient {
    return this.as({ role: "agent", agentId: "bot", userId: "alice" });
  }

  get admin(): StewardClient {
    return this.as({ role: "admin", userId: "root" });
  }

  /** An approver. */
  person(userId: string): StewardClient {
    return this.as({ role: "approver", userId });
  }

  as(who: Who): StewardClient {
    return this.#shop.client({ orgId: this.orgId, ...who });
  }

  /** Puts the organization's first policies. */
  async under(text: string): Promise<this> {
    await this.admin.policies.putPolicies({ text, version: 0 });
    return this;
  }
}
