import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { TestDatabase } from "@steward/test-postgres";
import { AUDIENCE, OpenIdProvider } from "../../adapters/identity-jwt/testing/openid-provider.js";
import { openApp, type App } from "../../app/app.js";
import { storeDatabase } from "../../storage/postgres/testing/store-database.js";

/** Engines of the store. */
export const ENGINES: readonly StoreEngine[] = ["SQLite", "PostgreSQL"];
export type StoreEngine = "SQLite" | "PostgreSQL";

/** Authentication modes. */
export const MODES: readonly Mode[] = ["proxy", "jwt", "apikey"];
export type Mode = "proxy" | "jwt" | "apikey";

/** Headers that identify the sender of a request. */
export type Headers = Readonly<Record<string, string>>;

/**
 * An organization with an admin in each mode, and a marker text that occurs only in what it writes.
 */
export interface Organization {
  readonly id: string;
  readonly marker: string;
  /** Id of its API key. */
  readonly keyId: string;
  readonly identity: Readonly<Record<Mode, Headers>>;
}

/** The proxy's secret of the server. */
export const PROXY_SECRET: string = "correct-horse-battery-staple";

/**
 * A server that accepts callers in every authentication mode, and two organizations, each with its
 * own database.
 */
export class World implements AsyncDisposable {
  readonly url: string;
  readonly a: Organization;
  readonly b: Organization;
  readonly issuer: OpenIdProvider;
  readonly #parts: readonly (AsyncDisposable | Disposable)[];

  private constructor(
    app: App,
    issuer: OpenIdProvider,
    organizations: readonly [Organization, Organization],
    parts: readonly (AsyncDisposable | Disposable)[],
  ) {
    this.url = urlOf(app);
    this.issuer = issuer;
    [this.a, this.b] = organizations;
    this.#parts = parts;
  }

  /** The address for gRPC: host:port. */
  get address(): string {
    return new URL(this.url).host;
  }

  static async open(engine: StoreEngine): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), "steward-isolation-"));
    const database: TestDatabase | undefined =
      engine === "PostgreSQL" ? await storeDatabase() : undefined;
    const issuer = await OpenIdProvider.start();
    const ids = [randomUUID(), randomUUID()] as const;
    const app = await openApp({
      port: 0,
      logLevel: "silent",
      dataDir: directory,
      databaseUrl: database?.url ?? `sqlite:${join(directory, "store.db")}`,
      dataSources: [
        {
          name: "shop",
          url: `sqlite:${join(directory, "nobodys.db")}`,
          organizations: ids.map((orgId) => ({
            orgId,
            url: `sqlite:${join(directory, orgId)}.db`,
          })),
        },
      ],
      auth: {
        headers: { trustedProxies: [], proxySecrets: [PROXY_SECRET] },
        apiKey: true,
        jwt: {
          issuer: issuer.issuer,
          audiences: [AUDIENCE],
          algorithms: ["RS256"],
          clockSkewMs: 30_000,
          claims: {
            ...{ org: "org_id", user: "sub", agent: "act.sub" },
            ...{ roles: "roles", permissions: "permissions" },
          },
        },
      },
      embedding: { provider: "hash", dimension: 32 },
    });
    const organization = async (id: string): Promise<Organization> => {
      const marker = `zq${randomBytes(6).toString("hex")}`;
      const file = new DatabaseSync(join(directory, `${id}.db`));
      file.exec(`CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('thing ${marker}')`);
      file.close();
      const proxy = { "x-proxy-secret": PROXY_SECRET, "x-org-id": id, "x-user-role": "admin" };
      const claims = { org_id: id, sub: `user-${marker}`, roles: ["admin"] };
      const token = await issuer.forged({ ...claims, exp: Math.floor(Date.now() / 1000) + 3600 });
      const { api_key, key_id } = await newKey(urlOf(app), proxy);
      return {
        ...{ id, marker, keyId: key_id },
        identity: {
          proxy: { ...proxy, "x-user-id": `user-${marker}` },
          jwt: { authorization: `Bearer ${token}` },
          apikey: { authorization: `Bearer ${api_key}` },
        },
      };
    };
    const both = [await organization(ids[0]), await organization(ids[1])] as const;
    const files = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
    return new World(app, issuer, both, [app, issuer, ...(database ? [database] : []), files]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts) {
      if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
      else part[Symbol.dispose]();
    }
  }
}

function urlOf({ address }: App): string {
  return `http://127.0.0.1:${String(address.port)}`;
}

interface NewKey {
  /** Text of the key. */
  readonly api_key: string;
  readonly key_id: string;
}

async function newKey(url: string, headers: Headers): Promise<NewKey> {
  const response = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "its own", roles: ["admin"] }),
  });
  return ((await response.json()) as { readonly data: NewKey }).data;
}
