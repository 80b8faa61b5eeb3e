import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import type { Environment } from "./env.js";
import { loadConfig, readConfig } from "./load-config.js";
import { SETTINGS } from "./settings.js";

const directory = mkdtempSync(join(tmpdir(), "steward-config-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

describe("a configuration", () => {
  it("is the documented defaults when nothing is set, with no database at all", async () => {
    expect(await loadConfig({ env: {} })).toEqual({
      host: "127.0.0.1",
      port: 8080,
      stopDelayMs: 0,
      dataDir: "./.steward",
      dataSources: [],
      docs: true,
      console: true,
      tools: { strict: false, tools: [] },
      audit: { name: "steward/audit", witnesses: [], exports: [] },
      auth: { headers: { trustedProxies: [], proxySecrets: [] } },
      stepTimeoutMs: 30_000,
      stepWaitMs: 30_000,
      planDeadlineMs: 86_400_000,
      approvalValidMs: 86_400_000,
      quotas: { requestsPerSecond: 2000, stepsMax: 500, streamsMax: 500 },
      rowsChangedMax: 10_000,
      migrationWaits: { turnMs: 5000, lockMs: 5000, indexMs: 600_000 },
      retention: {
        periods: { plans: 90, idempotency_keys: 30, memory: 365, usage_detail: 400 },
        mayBeLonger: false,
      },
      logLevel: "info",
      cascadeEnrichment: false,
      embedding: {
        provider: "zero",
        dimension: 768,
        requestDimension: false,
        timeoutMs: 10_000,
        attemptsMax: 3,
      },
    });
  });

  it.each<[string, Environment, object]>([
    ["a port", { SERVICE_PORT: "0" }, { port: 0 }],
    ["a port of its own for gRPC", { SERVICE_GRPC_PORT: "9090" }, { grpcPort: 9090 }],
    [
      "a SQLite file as a path",
      { SERVICE_DATABASE_URL: "a b.db" },
      { databaseUrl: "sqlite:a b.db" },
    ],
    ["a SQLite URL", { SERVICE_DATABASE_URL: "sqlite:x.db" }, { databaseUrl: "sqlite:x.db" }],
    [
      "a PostgreSQL URL",
      { SERVICE_DATABASE_URL: "postgres://u:p@h/db?sslmode=require" },
      { databaseUrl: "postgres://u:p@h/db?sslmode=require" },
    ],
    [
      "one data source by its path",
      { SERVICE_DATA_SOURCES: "./shop.db" },
      { dataSources: [{ name: "default", url: "sqlite:./shop.db" }] },
    ],
    [
      "one data source by a URL that holds commas and equal signs",
      { SERVICE_DATA_SOURCES: "postgres://a,b/db?x=1" },
      { dataSources: [{ name: "default", url: "postgres://a,b/db?x=1" }] },
    ],
    [
      "several data sources by name",
      { SERVICE_DATA_SOURCES: "shop=shop.db, crm=postgres://h1,h2/crm?sslmode=require" },
      {
        dataSources: [
          { name: "shop", url: "sqlite:shop.db" },
          { name: "crm", url: "postgres://h1,h2/crm?sslmode=require" },
        ],
      },
    ],
    ["a log level", { SERVICE_LOG_LEVEL: "silent" }, { logLevel: "silent" }],
    [
      "an embedding provider and dimension",
      { SERVICE_EMBEDDING_PROVIDER: "hash", SERVICE_EMBEDDING_DIMENSION: "1536" },
      { embedding: { provider: "hash", dimension: 1536 } },
    ],
    [
      "an embedding model at another address, which may need no key",
      {
        SERVICE_EMBEDDING_PROVIDER: "openai",
        SERVICE_EMBEDDING_MODEL: "nomic-embed-text",
        SERVICE_EMBEDDING_BASE_URL: "http://127.0.0.1:11434/v1",
        SERVICE_EMBEDDING_TIMEOUT_MS: "500",
      },
      {
        embedding: {
          provider: "openai",
          model: "nomic-embed-text",
          baseUrl: "http://127.0.0.1:11434/v1",
          timeoutMs: 500,
        },
      },
    ],
    ["an empty variable as unset", { SERVICE_PORT: " " }, { port: 8080 }],
    ["a strict mode", { SERVICE_TOOLS_STRICT: "true" }, { tools: { strict: true, tools: [] } }],
    [
      "trusted proxies, which allow every address",
      { SERVICE_HOST: "0.0.0.0", SERVICE_TRUSTED_PROXIES: "10.0.0.0/8, ::1" },
      { host: "0.0.0.0", auth: { headers: { trustedProxies: ["10.0.0.0/8", "::1"] } } },
    ],
  ])("takes %s", async (_what, env, expected) => {
    expect(await loadConfig({ env })).toMatchObject(expected);
  });

  it("takes a flag before the environment, and a command's default before the table's", async () => {
    const sources = {
      flags: { SERVICE_PORT: "1" },
      env: { SERVICE_PORT: "2", SERVICE_LOG_LEVEL: "error" },
      defaults: { SERVICE_PORT: "3", SERVICE_LOG_LEVEL: "warn", SERVICE_DATA_DIR: "d" },
    };
    expect(await loadConfig(sources)).toMatchObject({ port: 1, logLevel: "error", dataDir: "d" });
    const origins = (await readConfig(sources)).settings.map(({ setting, origin }) => [
      setting.name,
      origin,
    ]);
    expect(Object.fromEntries(origins)).toMatchObject({
      SERVICE_PORT: "flag",
      SERVICE_LOG_LEVEL: "environment",
      SERVICE_DATA_DIR: "default",
      SERVICE_TLS_KEY: "unset",
    });
  });

  it("cannot be changed afterwards", async () => {
    const config = await loadConfig({ env: {} });
    expect(Object.isFrozen(config) && Object.isFrozen(config.auth.headers?.trustedProxies)).toBe(
      true,
    );
  });

  it("reads the tools file, whose strict mode the setting overrules", async () => {
    const tools = file("tools.yaml", "strict: true\ntools:\n  - {name: q, data_source: default}\n");
    const env = { SERVICE_DATA_SOURCES: "x.db", SERVICE_TOOLS_FILE: tools };
    const listed = [{ name: "q", dataSource: "default" }];
    expect((await loadConfig({ env })).tools).toEqual({ strict: true, tools: listed });
    expect((await loadConfig({ env: { ...env, SERVICE_TOOLS_STRICT: "off" } })).tools.strict).toBe(
      false,
    );
  });
});

describe("the URLs of migrations", () => {
  it("belong to data sources, and are shown without their passwords", async () => {
    const env = {
      SERVICE_DATA_SOURCES: "crm=postgres://u@h/crm,shop=x.db",
      SERVICE_MIGRATION_URLS: "crm=postgres://owner:hidden@h/crm",
    };
    expect((await loadConfig({ env })).dataSources).toEqual([
      {
        ...{ name: "crm", url: "postgres://u@h/crm" },
        migrationUrl: "postgres://owner:hidden@h/crm",
      },
      { name: "shop", url: "sqlite:x.db" },
    ]);
    expect(JSON.stringify((await readConfig({ env })).settings)).not.toContain("hidden");
  });
});

describe("a wrong setting", () => {
  const pem = file("server.pem", "");
  it.each<[string, Environment, RegExp]>([
    ["SERVICE_PORT", { SERVICE_PORT: "abc" }, /"abc".*TCP port/],
    ["SERVICE_PORT", { SERVICE_PORT: "65536" }, /65535/],
    ["SERVICE_GRPC_PORT", { SERVICE_GRPC_PORT: "8080" }, /same as SERVICE_PORT/],
    ["SERVICE_HOST", { SERVICE_HOST: "not a host" }, /host name or IP/],
    ["SERVICE_HOST", { SERVICE_HOST: "0.0.0.0" }, /other machines.*SERVICE_TRUSTED_PROXIES/],
    ["SERVICE_HOST", { SERVICE_HOST: "::" }, /other machines/],
    ["SERVICE_DATABASE_URL", { SERVICE_DATABASE_URL: "mysql://h/db" }, /sqlite:PATH or postgres/],
    ["SERVICE_DATABASE_URL", { SERVICE_DATABASE_URL: "sqlite:" }, /sqlite:PATH or postgres/],
    ["SERVICE_DATA_SOURCES", { SERVICE_DATA_SOURCES: "a=x.db,a=y.db" }, /distinct names/],
    ["SERVICE_DATA_SOURCES", { SERVICE_DATA_SOURCES: "a=x.db,b=" }, /name=url/],
    [
      "SERVICE_DATA_SOURCES",
      { SERVICE_DATABASE_URL: "sqlite:x.db", SERVICE_DATA_SOURCES: "./x.db" },
      /database of its own/,
    ],
    [
      "SERVICE_MIGRATION_URLS",
      {
        SERVICE_DATA_SOURCES: "crm=postgres://u@h/crm",
        SERVICE_MIGRATION_URLS: "cms=postgres://o@h/crm",
      },
      /"cms" is not a data source.*use one of: crm/,
    ],
    [
      "SERVICE_MIGRATION_URLS",
      { SERVICE_DATA_SOURCES: "shop=x.db", SERVICE_MIGRATION_URLS: "shop=y.db" },
      /is a SQLite file/,
    ],
    ["SERVICE_JWT_ISSUER", { SERVICE_AUTH: "jwt", SERVICE_JWT_AUDIENCE: "a" }, /=jwt needs it/],
    [
      "SERVICE_JWT_AUDIENCE",
      { SERVICE_AUTH: "jwt", SERVICE_JWT_ISSUER: "https://a.test" },
      /=jwt needs it/,
    ],
    ["SERVICE_JWT_ISSUER", { SERVICE_JWT_ISSUER: "http://a.test" }, /https:\/\/ URL/],
    ["SERVICE_JWT_ALGORITHMS", { SERVICE_JWT_ALGORITHMS: "HS256" }, /RS256/],
    ["SERVICE_JWT_CLAIMS", { SERVICE_JWT_CLAIMS: "tenant=org" }, /name=claim/],
    [
      "SERVICE_AUTH",
      { SERVICE_AUTH: "basic" },
      /unknown value "basic": expected one or several of headers, jwt, apikey/,
    ],
    ["SERVICE_TRUSTED_PROXIES", { SERVICE_TRUSTED_PROXIES: "10.0.0.0/33" }, /CIDR/],
    ["SERVICE_TRUSTED_PROXIES", { SERVICE_TRUSTED_PROXIES: "example.org" }, /CIDR/],
    ["SERVICE_PROXY_SECRET", { SERVICE_PROXY_SECRET: "short" }, /at least 16/],
    ["SERVICE_TLS_KEY", { SERVICE_TLS_CERT: pem }, /certificate and its key/],
    ["SERVICE_TLS_CERT", { SERVICE_TLS_CERT: "gone.pem", SERVICE_TLS_KEY: pem }, /cannot be read/],
    ["SERVICE_STEP_TIMEOUT_MS", { SERVICE_STEP_TIMEOUT_MS: "3600001" }, /from 1 to 3600000/],
    ["SERVICE_STEP_TIMEOUT_MS", { SERVICE_STEP_TIMEOUT_MS: "1.5" }, /whole number/],
    ["SERVICE_PLAN_DEADLINE_MS", { SERVICE_PLAN_DEADLINE_MS: "-1" }, /whole number/],
    ["SERVICE_LOG_LEVEL", { SERVICE_LOG_LEVEL: "loud" }, /one of debug, info/],
    ["SERVICE_TOOLS_STRICT", { SERVICE_TOOLS_STRICT: "maybe" }, /true or false/],
    ["SERVICE_TOOLS_FILE", { SERVICE_TOOLS_FILE: "gone.yaml" }, /gone.yaml cannot be read/],
    [
      "SERVICE_EMBEDDING_PROVIDER",
      { SERVICE_EMBEDDING_PROVIDER: "http" },
      /one of zero, hash, openai/,
    ],
    ["SERVICE_EMBEDDING_MODEL", { SERVICE_EMBEDDING_PROVIDER: "local" }, /needs a model/],
    [
      "SERVICE_EMBEDDING_API_KEY",
      { SERVICE_EMBEDDING_PROVIDER: "openai", SERVICE_EMBEDDING_MODEL: "m" },
      /needs a key/,
    ],
    ["SERVICE_EMBEDDING_BASE_URL", { SERVICE_EMBEDDING_BASE_URL: "ftp://h" }, /http:\/\/ or/],
    ["SERVICE_EMBEDDING_ATTEMPTS", { SERVICE_EMBEDDING_ATTEMPTS: "0" }, /from 1 to 10/],
    ["SERVICE_EMBEDDING_DIMENSION", { SERVICE_EMBEDDING_DIMENSION: "0" }, /from 1 to/],
  ])("%s of %j stops the start with its name, its shape and the fix", async (name, env, said) => {
    const { config, problems } = await readConfig({ env });
    expect(config).toBeUndefined();
    expect(problems).toHaveLength(1);
    const [problem] = problems;
    expect(problem?.setting).toBe(name);
    expect(problem?.fix).not.toBe("");
    expect(`${problem?.reason ?? ""}; ${problem?.fix ?? ""}`).toMatch(said);
  });

  it("is reported together with all the others", async () => {
    const env = { SERVICE_PORT: "x", SERVICE_LOG_LEVEL: "y", SERVICE_AUTH: "z" };
    const failure = await failureOf(loadConfig({ env }));
    expect(failure.code).toBe("INVALID_ARGUMENT");
    expect(failure.details.map(({ field }) => field)).toEqual([
      "SERVICE_PORT",
      "SERVICE_AUTH",
      "SERVICE_LOG_LEVEL",
    ]);
  });

  it("given by a flag is named by the flag", async () => {
    const [problem] = (await readConfig({ env: {}, flags: { SERVICE_PORT: "x" } })).problems;
    expect(problem?.reason).toContain("of --port");
  });
});

describe("a variable that no setting has", () => {
  it("is warned of, with the one that was probably meant", async () => {
    const env = { SERVICE_PROT: "1", SERVICE_BANANA: "2", OTHER: "3", SERVICE_URL: "http://h" };
    expect((await readConfig({ env })).warnings).toEqual([
      "SERVICE_BANANA is not a setting and is ignored",
      "SERVICE_PROT is not a setting and is ignored; did you mean SERVICE_PORT?",
    ]);
  });
});

describe("secrets", () => {
  it("are shown nowhere, whether the setting is right or wrong", async () => {
    const secret = "hunter2hunter2hunter2";
    const right = await readConfig({
      env: {
        SERVICE_PROXY_SECRET: secret,
        SERVICE_DATABASE_URL: `postgres://u:${secret}@h/store`,
        SERVICE_DATA_SOURCES: `a=postgres://u:${secret}@h/db,b=postgres://h/db?password=${secret}`,
      },
    });
    const wrong = await readConfig({
      env: {
        SERVICE_PROXY_SECRET: `${secret} with spaces`,
        SERVICE_DATABASE_URL: `postgres:/u:${secret}@h/db`,
        SERVICE_DATA_SOURCES: `a=mysql://u:${secret}@h/db,b=mysql://u:${secret}/@h`,
      },
    });
    expect(wrong.problems).toHaveLength(3);
    const { config, ...shown } = right;
    expect(config).toBeDefined();
    expect(JSON.stringify([shown, wrong])).not.toContain("hunter2");
  });

  it("have no flag, which a process list would show", () => {
    expect(SETTINGS.auth.proxySecrets.flag).toBeUndefined();
  });
});

async function failureOf(call: Promise<unknown>): Promise<AppError> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
  }
  throw new Error("expected an AppError");
}

describe("a secret in a file", () => {
  const secret = "correct-horse-battery-staple";

  it("is read from where the variable with _FILE says, without its line end", async () => {
    const env = {
      SERVICE_PROXY_SECRET_FILE: file("proxy-secret", `${secret}\n`),
      SERVICE_DATABASE_URL_FILE: file("database-url", "postgres://u:pw@h/db\n"),
      PAYMENT_SECRET_KEY_FILE: file("payment-key", "sk_test_1"),
    };
    const { config, settings, warnings } = await readConfig({ env });
    expect(config).toMatchObject({
      auth: { headers: { proxySecrets: [secret] } },
      databaseUrl: "postgres://u:pw@h/db",
      payments: { secretKey: "sk_test_1" },
    });
    expect(warnings).toEqual([]);
    expect(JSON.stringify(settings)).not.toMatch(/correct-horse|pw@|sk_test/);
    const origin = settings.find(({ setting }) => setting.name === "SERVICE_PROXY_SECRET")?.origin;
    expect(origin).toBe("file");
    const flags = { SERVICE_DATABASE_URL: "sqlite:x.db" };
    expect((await loadConfig({ env, flags })).databaseUrl).toBe("sqlite:x.db");
  });

  it.each<[Environment, RegExp]>([
    [{ SERVICE_PROXY_SECRET_FILE: "gone" }, /SERVICE_PROXY_SECRET_FILE: .*cannot be read/],
    [{ SERVICE_PROXY_SECRET_FILE: file("empty", "\n") }, /holds no value/],
    [
      { SERVICE_PROXY_SECRET_FILE: file("both", secret), SERVICE_PROXY_SECRET: secret },
      /SERVICE_PROXY_SECRET is set as well/,
    ],
    [{ SERVICE_PROXY_SECRET_FILE: file("short", "short") }, /at least 16/],
  ])("stops the start when it is wrong: %j", async (env, said) => {
    const { problems } = await readConfig({ env });
    expect(problems.map(({ reason }) => reason).join()).toMatch(said);
  });

  it("is not for what is no secret, and a password in a flag is warned of", async () => {
    const { warnings } = await readConfig({
      env: { SERVICE_PORT_FILE: "port" },
      flags: { SERVICE_DATABASE_URL: "postgres://u:pw@h/db" },
    });
    expect(warnings).toEqual([
      expect.stringContaining("SERVICE_PORT_FILE is not a setting"),
      expect.stringMatching(/^--database-url holds a password.*SERVICE_DATABASE_URL_FILE/),
    ]);
    expect(warnings.join()).not.toContain("pw@");
  });
});
