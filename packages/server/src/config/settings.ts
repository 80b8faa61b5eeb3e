import { EMBEDDING_DIMENSION_MAX } from "../memory/limits.js";
import {
  MIGRATION_INDEX_WAIT_MS,
  MIGRATION_LOCK_WAIT_MS,
  MIGRATION_WAIT_MS_MAX,
} from "@steward/schema/limits.js";
import type { DataSourceConfig, EmbeddingProviderName, LogLevel } from "./config.js";
import { maskDatabaseUrl, parseDatabaseUrl, parseDataSources } from "./database-url.js";
import { AUDIT_SETTINGS, type AuditSettings } from "./groups/audit-settings.js";
import { AUTH_SETTINGS, type AuthSettings } from "./auth-settings.js";
import { RETENTION_SETTINGS, type RetentionSettings } from "./groups/retention-settings.js";
import { SHARE_SETTINGS, type ShareSettings } from "./groups/share-settings.js";
import { boolean, integer, oneOf, port, text, trustedUrl } from "./setting-types.js";
import type { SettingType } from "./setting-types.js";

/** A setting: its value comes from a flag, else from the environment, else from its default. */
export interface Setting<T> {
  /** Name of the environment variable. */
  readonly name: string;
  /**
   * Name of the flag, without dashes. Absent for secrets, which the list of processes would show.
   */
  readonly flag?: string;
  readonly type: SettingType<T>;
  /** The default as text; absent: unset. */
  readonly default?: string;
  /** A sentence for the help, `steward config` and the documentation. */
  readonly help: string;
  /** Masks the secret parts of a value; absent: the value contains none. */
  readonly mask?: (value: string) => string;
}

/** All settings of the server, in the order in which they are shown. */
export interface Settings extends AuditSettings, AuthSettings, ShareSettings, RetentionSettings {
  readonly host: Setting<string>;
  readonly port: Setting<number>;
  readonly grpcPort: Setting<number>;
  readonly dataDir: Setting<string>;
  readonly databaseUrl: Setting<string>;
  readonly dataSources: Setting<readonly DataSourceConfig[]>;
  readonly migrationUrls: Setting<readonly DataSourceConfig[]>;
  readonly toolsFile: Setting<string>;
  readonly toolsStrict: Setting<boolean>;
  readonly tlsCert: Setting<string>;
  readonly tlsKey: Setting<string>;
  readonly docs: Setting<boolean>;
  readonly console: Setting<boolean>;
  readonly publicUrl: Setting<string>;
  readonly tlsClientCa: Setting<string>;
  readonly mtlsClients: Setting<string>;
  readonly migrationLockWaitMs: Setting<number>;
  readonly migrationIndexWaitMs: Setting<number>;
  readonly logLevel: Setting<LogLevel>;
  readonly cascadeEnrichment: Setting<"on" | "off">;
  readonly embeddingProvider: Setting<EmbeddingProviderName>;
  readonly embeddingDimension: Setting<number>;
  readonly embeddingModel: Setting<string>;
  readonly embeddingBaseUrl: Setting<string>;
  readonly embeddingApiKey: Setting<string>;
  readonly embeddingRequestDimension: Setting<boolean>;
  readonly embeddingBatchSize: Setting<number>;
  readonly embeddingTimeoutMs: Setting<number>;
  readonly embeddingAttempts: Setting<number>;
  readonly paymentSecretKey: Setting<string>;
  readonly paymentApiBase: Setting<string>;
  readonly paymentPublishableKey: Setting<string>;
}

/** Upper bound of the setting. */
const EMBEDDING_TIMEOUT_MS_MAX = 10 * 60 * 1000;

const path = (example: string): SettingType<string> =>
  text({ shape: "a path", placeholder: "path", example, pattern: /^[^\0]+$/ });

const migrationWait = (example: string): SettingType<number> =>
  integer({
    min: 1,
    max: MIGRATION_WAIT_MS_MAX,
    unit: "milliseconds",
    placeholder: "ms",
    example,
  });

/** The table from which flags, `steward config` and docs/settings.md are generated. */
export const SETTINGS: Settings = {
  host: {
    name: "SERVICE_HOST",
    flag: "host",
    type: text({
      shape: "a host name or IP address",
      placeholder: "host",
      example: "127.0.0.1",
      pattern: /^[A-Za-z0-9.:_-]{1,253}$/,
    }),
    default: "127.0.0.1",
    help: "Address to listen on; beyond loopback only with trusted proxies or a proxy secret.",
  },
  port: {
    name: "SERVICE_PORT",
    flag: "port",
    type: port,
    default: "8080",
    help: "Port of REST and, unless gRPC has its own, of gRPC.",
  },
  grpcPort: {
    name: "SERVICE_GRPC_PORT",
    flag: "grpc-port",
    type: port,
    help: "Port of gRPC alone; unset: it shares the port.",
  },
  dataDir: {
    name: "SERVICE_DATA_DIR",
    flag: "data-dir",
    type: path("./.steward"),
    default: "./.steward",
    help: "Directory for the files that are kept beside the database.",
  },
  databaseUrl: {
    name: "SERVICE_DATABASE_URL",
    flag: "database-url",
    type: {
      shape: "sqlite:PATH or postgres://…",
      placeholder: "url",
      example: "sqlite:./.steward/steward.db",
      parse: parseDatabaseUrl,
    },
    help: "Where plans are kept; unset: nothing is, and every write says so.",
    mask: maskDatabaseUrl,
  },
  dataSources: {
    name: "SERVICE_DATA_SOURCES",
    flag: "data-sources",
    type: {
      shape: "a SQLite file, a database URL, or name=url,name=url with distinct names",
      placeholder: "sources",
      example: "shop=sqlite:./shop.db",
      parse: parseDataSources,
    },
    help: "Databases that steps run on; the first one is the default.",
    mask: maskDatabaseUrl,
  },
  migrationUrls: {
    name: "SERVICE_MIGRATION_URLS",
    type: {
      shape: "name=url,name=url with the names of data sources on PostgreSQL",
      placeholder: "urls",
      example: "crm=postgres://crm_owner@db/crm",
      parse: parseDataSources,
    },
    help:
      "URLs with which migrations log in to data sources on PostgreSQL, with a role that owns the tables; unset: the " +
      "URL of the steps, whose role then needs these rights too.",
    mask: maskDatabaseUrl,
  },
  toolsFile: {
    name: "SERVICE_TOOLS_FILE",
    flag: "tools-file",
    type: path("./tools.yaml"),
    help: "YAML file that binds tool names to data sources and intents.",
  },
  toolsStrict: {
    name: "SERVICE_TOOLS_STRICT",
    flag: "tools-strict",
    type: boolean,
    help: "Refuse tool names that the tools file does not list; unset: as the file says.",
  },
  ...AUDIT_SETTINGS,
  ...AUTH_SETTINGS,
  tlsCert: {
    name: "SERVICE_TLS_CERT",
    flag: "tls-cert",
    type: path("./server.pem"),
    help: "PEM file of the certificate chain; turns TLS on, together with the key.",
  },
  tlsKey: {
    name: "SERVICE_TLS_KEY",
    flag: "tls-key",
    type: path("./server.key"),
    help: "PEM file of the private key.",
  },
  docs: {
    name: "SERVICE_DOCS",
    flag: "docs",
    type: boolean,
    default: "true",
    help: "Serve the descriptions of the API: /docs, /openapi.json and gRPC reflection.",
  },
  console: {
    name: "SERVICE_CONSOLE",
    flag: "console",
    type: boolean,
    default: "true",
    help: "Serve the console for browsers at /.",
  },
  publicUrl: {
    name: "SERVICE_PUBLIC_URL",
    flag: "public-url",
    type: trustedUrl("https://steward.example.com"),
    help: "Address under which browsers reach the server behind a proxy; unset: the one that they name.",
  },
  tlsClientCa: {
    name: "SERVICE_TLS_CLIENT_CA",
    flag: "tls-client-ca",
    type: path("./client-ca.pem"),
    help: "PEM file of the authorities whose client certificates are accepted (SERVICE_AUTH=mtls).",
  },
  mtlsClients: {
    name: "SERVICE_MTLS_CLIENTS",
    flag: "mtls-clients",
    type: path("./clients.yaml"),
    help: "YAML file that maps client certificates to callers (SERVICE_AUTH=mtls).",
  },
  ...SHARE_SETTINGS,
  ...RETENTION_SETTINGS,
  migrationLockWaitMs: {
    name: "SERVICE_MIGRATION_LOCK_WAIT_MS",
    flag: "migration-lock-wait-ms",
    type: migrationWait("5000"),
    default: String(MIGRATION_LOCK_WAIT_MS),
    help:
      "How long a migration waits for each lock, in milliseconds; on PostgreSQL later statements on the " +
      "table wait behind it.",
  },
  migrationIndexWaitMs: {
    name: "SERVICE_MIGRATION_INDEX_WAIT_MS",
    flag: "migration-index-wait-ms",
    type: migrationWait("600000"),
    default: String(MIGRATION_INDEX_WAIT_MS),
    help:
      "How long a migration on PostgreSQL waits for other transactions while it builds an index " +
      "concurrently, in milliseconds; other statements do not wait behind it.",
  },
  logLevel: {
    name: "SERVICE_LOG_LEVEL",
    flag: "log-level",
    type: oneOf(["debug", "info", "warn", "error", "silent"]),
    default: "info",
    help: "The lowest level that is logged.",
  },
  cascadeEnrichment: {
    name: "SERVICE_CASCADE_ENRICHMENT",
    flag: "cascade-enrichment",
    type: oneOf(["off", "on"]),
    default: "off",
    help: "Whether a memory search also reports the tables that ON DELETE CASCADE reaches from the mentioned ones.",
  },
  embeddingProvider: {
    name: "SERVICE_EMBEDDING_PROVIDER",
    flag: "embedding-provider",
    type: oneOf(["zero", "hash", "openai", "cohere", "gemini", "local"]),
    default: "zero",
    help: "The embedding provider: zero finds nothing, hash compares words, a model compares meaning.",
  },
  embeddingDimension: {
    name: "SERVICE_EMBEDDING_DIMENSION",
    flag: "embedding-dimension",
    type: integer({
      min: 1,
      max: EMBEDDING_DIMENSION_MAX,
      unit: "components",
      placeholder: "n",
      example: "768",
    }),
    default: "768",
    help: "Components of a vector, the same for all who share the stored ones.",
  },
  embeddingModel: {
    name: "SERVICE_EMBEDDING_MODEL",
    flag: "embedding-model",
    type: text({
      shape: "a model's name as its provider spells it",
      placeholder: "model",
      example: "text-embedding-3-small",
      pattern: /^[\x21-\x7e]{1,255}$/,
    }),
    help: "Model of the provider; zero and hash have none.",
  },
  embeddingBaseUrl: {
    name: "SERVICE_EMBEDDING_BASE_URL",
    flag: "embedding-base-url",
    type: {
      shape: "an http:// or https:// URL",
      placeholder: "url",
      example: "http://127.0.0.1:11434/v1",
      parse: (value) => httpUrl(value),
    },
    help: "Where the provider's API is; unset: the service's own address.",
    mask: maskDatabaseUrl,
  },
  embeddingApiKey: {
    name: "SERVICE_EMBEDDING_API_KEY",
    type: text({
      shape: "the provider's API key",
      placeholder: "key",
      example: "sk-…",
      pattern: /^[\x21-\x7e]+$/,
    }),
    help: "Key for the provider's API; unset: no key is sent, which local servers expect.",
    mask: () => "***",
  },
  embeddingRequestDimension: {
    name: "SERVICE_EMBEDDING_REQUEST_DIMENSION",
    flag: "embedding-request-dimension",
    type: boolean,
    default: "false",
    help: "Ask the model for vectors of the dimension above; only some models can choose.",
  },
  embeddingBatchSize: {
    name: "SERVICE_EMBEDDING_BATCH_SIZE",
    flag: "embedding-batch-size",
    type: integer({ min: 1, max: 2048, unit: "texts", placeholder: "n", example: "64" }),
    help: "Texts in one request to the provider, at most; unset: the maximum of its API.",
  },
  embeddingTimeoutMs: {
    name: "SERVICE_EMBEDDING_TIMEOUT_MS",
    flag: "embedding-timeout-ms",
    type: integer({
      min: 1,
      max: EMBEDDING_TIMEOUT_MS_MAX,
      unit: "milliseconds",
      placeholder: "ms",
      example: "10000",
    }),
    default: "10000",
    help: "How long one attempt of a request to the provider may take, in milliseconds.",
  },
  embeddingAttempts: {
    name: "SERVICE_EMBEDDING_ATTEMPTS",
    flag: "embedding-attempts",
    type: integer({ min: 1, max: 10, unit: "attempts", placeholder: "n", example: "3" }),
    default: "3",
    help: "Attempts of one request to the provider, the first included.",
  },
  paymentSecretKey: {
    name: "PAYMENT_SECRET_KEY",
    type: text({
      shape: "the payment provider's secret key",
      placeholder: "key",
      example: "sk_live_…",
      pattern: /^[\x21-\x7e]+$/,
    }),
    help: "Key for the payment provider; unset: payment requests are answered with PAYMENT_NOT_CONFIGURED.",
    mask: () => "***",
  },
  paymentApiBase: {
    name: "PAYMENT_API_BASE",
    flag: "payment-api-base",
    type: {
      shape: "an https:// URL without a path; http:// on this machine only",
      placeholder: "url",
      example: "https://payments.example.com",
      parse: (value) => httpUrl(value),
    },
    help: "Base URL of the payment provider's API; unset: the provider's own.",
  },
  paymentPublishableKey: {
    name: "PAYMENT_PUBLISHABLE_KEY",
    flag: "payment-publishable-key",
    type: text({
      shape: "the payment provider's publishable key, pk_…",
      placeholder: "key",
      example: "pk_live_51H",
      // A secret key, given by mistake, would be sent to browsers.
      pattern: /^pk_[A-Za-z0-9_]+$/,
    }),
    help:
      "The key with which the console shows Stripe's own form on its page of payment methods, which then loads a script of " +
      "js.stripe.com; unset: people are led to Stripe's page, and the console loads nothing from another host.",
  },
};

/** Parses the base URL of a server. */
const httpUrl = (value: string): string | undefined =>
  /^https?:\/\/[^/?#\s]+/i.test(value) && URL.canParse(value) ? value : undefined;

/** The server that client commands connect to. It is not part of a server's configuration. */
export const SERVER_URL_SETTING: Setting<string> = {
  name: "SERVICE_URL",
  flag: "server",
  type: {
    shape: "an http:// or https:// URL",
    placeholder: "url",
    example: "http://127.0.0.1:8080",
    parse: httpUrl,
  },
  default: "http://127.0.0.1:8080",
  help: "The server that the plan commands talk to.",
  mask: maskDatabaseUrl,
};
