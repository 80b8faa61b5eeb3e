import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@steward/client";
import { ADMIN } from "@steward/kernel/testing/nobody.js";
import { createSampleDatabase } from "../../adapters/sample-database/index.js";
import { GOOD_KEY, StripeServer } from "../../adapters/payment-stripe/testing/stripe-server.js";
import { openApp, type App } from "../../app/app.js";
import { type Config, readConfig } from "../../config/index.js";
import { openApiKeys } from "../../app/keys.js";
import { present } from "../../kernel/present.js";
import { fillWithSample, type SampleClients } from "./sample-data.js";

const ORG = "7d9f2c61-4b0e-4f0a-9a57-2f1f6f7f0b11";

/** A value of a secret setting, which no page may show. */
export const SECRET = "sk_test_never_shown_5ecre7";

type SampleKeys = Readonly<Record<"admin" | "operator" | "agent" | "auditor" | "approver", string>>;

/** A whole server with the sample data, at which people sign in with an API key. */
export interface SampleServer extends AsyncDisposable, SampleClients {
  readonly url: string;
  /** Where the server keeps its own files. */
  readonly dataDir: string;
  /** API keys by their role. */
  readonly keys: SampleKeys;
  /** The payment provider, which stands in for Stripe. */
  readonly stripe: StripeServer;
  /** Ends the server and starts it again, on the same port and store. */
  restart(between: () => Promise<void>): Promise<void>;
  /** Starts the server again with other access to the payment provider; absent: with none. */
  restartWith(payments: Config["payments"]): Promise<void>;
  /** The sample's access to the payment provider. */
  readonly payments: NonNullable<Config["payments"]>;
}

/** Opens the server on a free port, with a store of its own. */
export async function openSampleServer(): Promise<SampleServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "steward-sample-"));
  const databaseUrl = `sqlite:${join(dataDir, "steward.db")}`;
  createSampleDatabase(join(dataDir, "shop.db"));
  const keys = await sampleKeys(databaseUrl);
  // Shown on the page of the system; the server itself has the options below.
  const { settings } = await readConfig({
    env: { SERVICE_DATABASE_URL: databaseUrl, PAYMENT_SECRET_KEY: SECRET },
    flags: { SERVICE_LOG_LEVEL: "silent" },
  });
  const stripe = await StripeServer.start();
  const payments = { secretKey: GOOD_KEY, apiBase: stripe.url };
  let access: Config["payments"] = payments;
  const open = (port: number): Promise<App> =>
    openApp({
      ...{ port, dataDir, databaseUrl, logLevel: "silent", auth: { apiKey: true } },
      settings,
      ...(access === undefined ? {} : { payments: access }),
      embedding: { provider: "hash" },
      dataSources: [
        {
          name: "shop",
          url: `sqlite:${join(dataDir, "shop.db")}`,
          organizations: [{ orgId: ORG }],
        },
      ],
    });
  let app = await open(0);
  const { port } = app.address;
  const url = `http://127.0.0.1:${String(port)}`;
  const clients = {
    admin: createClient({ baseUrl: url, apiKey: keys.admin }),
    operator: createClient({ baseUrl: url, apiKey: keys.operator }),
    agent: createClient({ baseUrl: url, apiKey: keys.agent, ormModel: "Invoice" }),
  };
  await fillWithSample(clients);
  const restart = async (between: () => Promise<void>) => {
    await app[Symbol.asyncDispose]();
    await between();
    app = await open(port);
  };
  return {
    ...{ url, dataDir, keys, stripe, payments, ...clients },
    restart,
    restartWith: (changed) => {
      access = changed;
      return restart(() => Promise.resolve());
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Keys of several roles, created before the server owns the store. */
async function sampleKeys(databaseUrl: string): Promise<SampleKeys> {
  await using keys = await openApiKeys(databaseUrl);
  const operator = { ...ADMIN, orgId: ORG, roles: ["operator"] };
  const create = async (role: string, userId?: string): Promise<string> => {
    const draft = {
      environment: "test",
      name: `Sample ${role}`,
      permissions: [],
      scopes: [],
    } as const;
    return (
      await keys.service.create(operator, { ...draft, roles: [role], ...present({ userId }) })
    ).text;
  };
  return {
    // Only named persons decide about approvals.
    admin: await create("admin", "ada"),
    operator: await create("operator"),
    agent: await create("agent"),
    auditor: await create("auditor"),
    approver: await create("approver", "bob"),
  };
}
