import {
  MIGRATION_INDEX_WAIT_MS,
  MIGRATION_LOCK_WAIT_MS,
  MIGRATION_WAIT_MS_MAX,
} from "@steward/schema/limits.js";
import {
  APPROVAL_VALID_MS,
  APPROVAL_VALID_MS_MAX,
  APPROVAL_VALID_MS_MIN,
} from "../approvals/limits.js";
import { EMBEDDING_DIMENSION_MAX } from "../memory/limits.js";
import {
  PLAN_DEADLINE_MS,
  PLAN_DEADLINE_MS_MAX,
  ROWS_CHANGED_MAX,
  ROWS_CHANGED_MAX_MAX,
  STEP_TIMEOUT_MS,
  STEP_TIMEOUT_MS_MAX,
  STEP_WAIT_MS,
} from "../plans/limits.js";
import {
  IDEMPOTENCY_KEYS_DAYS,
  MEMORY_DAYS,
  PLANS_DAYS,
  RETENTION_DAYS_MAX,
  USAGE_DETAIL_DAYS,
} from "../retention/limits.js";
import { ORG_BYTES_MAX, ORG_BYTES_MAX_MAX } from "../usage/limits.js";
import { AUDIT_SETTINGS } from "./audit-settings.js";
import { AUTH_SETTINGS } from "./auth-settings.js";
import { databaseUrl, dataSources, maskDatabaseUrl, migrationUrls } from "./database-url.js";
import {
  ORG_REQUESTS_PER_SECOND,
  ORG_REQUESTS_PER_SECOND_MAX,
  ORG_STEPS_MAX,
  ORG_STEPS_MAX_MAX,
  ORG_STREAMS_MAX,
  ORG_STREAMS_MAX_MAX,
  SESSIONS_MAX_MAX,
} from "./limits.js";
import { setting, settingsOf, type Setting } from "./setting.js";
import {
  boolean,
  bytes,
  httpUrl,
  integer,
  milliseconds,
  oneOf,
  onOff,
  organizationId,
  path,
  port,
  readableFile,
  text,
  toolsets,
  trustedUrl,
  unlimitedAtZero,
} from "./setting-types.js";

/** Upper bound of the setting: longer than any load balancer needs to notice. */
const STOP_DELAY_MS_MAX = 5 * 60 * 1000;
/** Upper bound of the setting. */
const EMBEDDING_TIMEOUT_MS_MAX = 10 * 60 * 1000;

const host = text(/^[A-Za-z0-9.:_-]{1,253}$/, {
  shape: "a host name or IP address",
  placeholder: "host",
});
const stepTime = milliseconds(1, STEP_TIMEOUT_MS_MAX);
const migrationWait = milliseconds(1, MIGRATION_WAIT_MS_MAX);
const days = unlimitedAtZero(integer(0, RETENTION_DAYS_MAX, "days"));
const anyHttpUrl = { ...httpUrl("an http:// or https:// URL"), mask: maskDatabaseUrl };
const secretText = (shape: string) => text(/^[\x21-\x7e]+$/, { shape, placeholder: "key" });

/**
 * All settings of the server, in the order in which they are shown. Flags, `steward config`,
 * docs/settings.md and the type of the configuration follow from this table. The keys are those of
 * the configuration.
 */
export const SETTINGS = {
  host: setting("SERVICE_HOST", host, {
    default: "127.0.0.1",
    help: "Address to listen on; beyond loopback only with trusted proxies or a proxy secret.",
  }),
  port: setting("SERVICE_PORT", port, {
    default: 8080,
    help: "Port of REST and, unless gRPC has its own, of gRPC.",
  }),
  grpcPort: setting("SERVICE_GRPC_PORT", port, {
    help: "Port of gRPC alone. Unset: gRPC shares the port of REST.",
  }),
  stopDelayMs: setting("SERVICE_STOP_DELAY_MS", milliseconds(0, STOP_DELAY_MS_MAX), {
    default: 0,
    example: "5000",
    help:
      "How long a server that is to stop still takes requests while /readyz is 503, in milliseconds, so that a " +
      "load balancer sends it no more.",
  }),
  dataDir: setting("SERVICE_DATA_DIR", path, {
    default: "./.steward",
    help: "Directory for the files that are kept beside the database.",
  }),
  databaseUrl: setting("SERVICE_DATABASE_URL", databaseUrl, {
    help: "The store of the service. Unset: there is none, and every write is refused.",
  }),
  dataSources: setting("SERVICE_DATA_SOURCES", dataSources, {
    whenUnset: [],
    help: "Databases that steps run on; the first one is the default.",
  }),
  migrationUrls: setting("SERVICE_MIGRATION_URLS", migrationUrls, {
    secret: true,
    whenUnset: [],
    help:
      "URLs with which migrations log in to data sources on PostgreSQL, with a role that owns the tables; unset: the " +
      "URL of the steps, whose role then needs these rights too.",
  }),
  toolsFile: setting("SERVICE_TOOLS_FILE", path, {
    example: "./tools.yaml",
    help: "YAML file that binds tool names to data sources and intents.",
  }),
  toolsStrict: setting("SERVICE_TOOLS_STRICT", boolean, {
    help: "Refuse tool names that the tools file does not list; unset: as the file says.",
  }),
  audit: AUDIT_SETTINGS,
  auth: AUTH_SETTINGS,
  organization: setting("SERVICE_ORGANIZATION", organizationId, {
    help:
      "The only organization of this service: data sources that the tools file binds to no organization are open to " +
      "it alone. Unset: such data sources are open to everybody while callers are not authenticated, and to nobody " +
      "otherwise.",
  }),
  tls: {
    certFile: setting("SERVICE_TLS_CERT", readableFile, {
      example: "./server.pem",
      help: "PEM file of the certificate chain; turns TLS on, together with the key.",
    }),
    keyFile: setting("SERVICE_TLS_KEY", readableFile, {
      example: "./server.key",
      help: "PEM file of the private key.",
    }),
    clientCaFile: setting("SERVICE_TLS_CLIENT_CA", readableFile, {
      example: "./client-ca.pem",
      help: "PEM file of the authorities whose client certificates are accepted (SERVICE_AUTH=mtls).",
    }),
  },
  docs: setting("SERVICE_DOCS", boolean, {
    default: true,
    help: "Serve the descriptions of the API: /docs, /openapi.json and gRPC reflection.",
  }),
  console: setting("SERVICE_CONSOLE", boolean, {
    default: true,
    help: "Serve the console for browsers at /.",
  }),
  publicUrl: setting("SERVICE_PUBLIC_URL", trustedUrl, {
    example: "https://steward.example.com",
    help: "Address under which browsers reach the server behind a proxy. Unset: the host that a request names.",
  }),
  mcpToolsets: setting("SERVICE_MCP_TOOLSETS", toolsets, {
    help: "Toolsets that MCP clients get, and may choose among. Unset: they get ask and tools, and may choose any.",
  }),
  quotas: {
    requestsPerSecond: setting(
      "SERVICE_ORG_REQUESTS_PER_SECOND",
      integer(1, ORG_REQUESTS_PER_SECOND_MAX, "requests"),
      {
        default: ORG_REQUESTS_PER_SECOND,
        help: "Requests that one organization may send to this server in a second; more are 429 with Retry-After.",
      },
    ),
    stepsMax: setting("SERVICE_ORG_STEPS_MAX", integer(1, ORG_STEPS_MAX_MAX, "steps"), {
      default: ORG_STEPS_MAX,
      help: "Steps of one organization that this server executes at once, waiting ones included.",
    }),
    streamsMax: setting("SERVICE_ORG_STREAMS_MAX", integer(1, ORG_STREAMS_MAX_MAX, "streams"), {
      default: ORG_STREAMS_MAX,
      help: "Event streams that one organization may have open on this server at once.",
    }),
  },
  orgBytesMax: setting("SERVICE_ORG_BYTES_MAX", unlimitedAtZero(bytes(ORG_BYTES_MAX_MAX)), {
    default: ORG_BYTES_MAX,
    example: "50GiB",
    help: "How much one organization may store: plans with their outputs, memory, usage, state and audit records. 0: no quota.",
  }),
  stepTimeoutMs: setting("SERVICE_STEP_TIMEOUT_MS", stepTime, {
    default: STEP_TIMEOUT_MS,
    help: "How long one attempt of a step may run, in milliseconds; the wait for its turn does not count. Steps and data sources may set less as timeout_ms.",
  }),
  stepWaitMs: setting("SERVICE_STEP_WAIT_MS", stepTime, {
    default: STEP_WAIT_MS,
    help: "How long a step may wait for its turn at its data source, in milliseconds.",
  }),
  sessionsMax: setting("SERVICE_SESSIONS_MAX", integer(1, SESSIONS_MAX_MAX, "sessions"), {
    example: "4",
    help:
      "Statements that run on one data source at once, unless the tools file sets another number; one organization may use " +
      "all but one of them. Unset: 4 that read a SQLite file, 10 on PostgreSQL.",
  }),
  planDeadlineMs: setting("SERVICE_PLAN_DEADLINE_MS", milliseconds(1000, PLAN_DEADLINE_MS_MAX), {
    default: PLAN_DEADLINE_MS,
    help: "The deadline of a plan, in milliseconds after its creation.",
  }),
  approvalValidMs: setting(
    "SERVICE_APPROVAL_VALID_MS",
    milliseconds(APPROVAL_VALID_MS_MIN, APPROVAL_VALID_MS_MAX),
    {
      default: APPROVAL_VALID_MS,
      help: "How long after its request an approval can be given and used, in milliseconds.",
    },
  ),
  rowsChangedMax: setting("SERVICE_ROWS_CHANGED_MAX", integer(1, ROWS_CHANGED_MAX_MAX, "rows"), {
    default: ROWS_CHANGED_MAX,
    help: "How many rows one step may change; a step that changes more is rolled back.",
  }),
  retention: {
    periods: {
      plans: setting("SERVICE_RETENTION_PLANS_DAYS", days, {
        default: PLANS_DAYS,
        help: "Days for which an ended plan is kept with its outputs, events and tool calls; 0: without limit.",
      }),
      idempotency_keys: setting("SERVICE_RETENTION_KEYS_DAYS", days, {
        default: IDEMPOTENCY_KEYS_DAYS,
        help: "Days for which an idempotency key is kept, at most as long as its plan; 0: as long as its plan.",
      }),
      memory: setting("SERVICE_RETENTION_MEMORY_DAYS", days, {
        default: MEMORY_DAYS,
        help: "Days for which memory entries are kept; 0: without limit.",
      }),
      usage_detail: setting("SERVICE_RETENTION_USAGE_DAYS", days, {
        default: USAGE_DETAIL_DAYS,
        help: "Days for which the row of each call's usage is kept; the totals stay. 0: without limit.",
      }),
    },
    mayBeLonger: setting("SERVICE_RETENTION_LONGER", boolean, {
      default: false,
      help: "Whether an organization may lengthen its retention periods; it may always shorten them.",
    }),
  },
  migrationWaits: {
    lockMs: setting("SERVICE_MIGRATION_LOCK_WAIT_MS", migrationWait, {
      default: MIGRATION_LOCK_WAIT_MS,
      help:
        "How long a migration waits for each lock, in milliseconds; on PostgreSQL later statements on the " +
        "table wait behind it.",
    }),
    indexMs: setting("SERVICE_MIGRATION_INDEX_WAIT_MS", migrationWait, {
      default: MIGRATION_INDEX_WAIT_MS,
      help:
        "How long a migration on PostgreSQL waits for other transactions while it builds an index " +
        "concurrently, in milliseconds; other statements do not wait behind it.",
    }),
  },
  logLevel: setting("SERVICE_LOG_LEVEL", oneOf(["debug", "info", "warn", "error", "silent"]), {
    default: "info",
    help: "The lowest level that is logged.",
  }),
  cascadeEnrichment: setting("SERVICE_CASCADE_ENRICHMENT", onOff, {
    default: "off",
    help: "Whether a memory search also reports the tables that ON DELETE CASCADE reaches from the mentioned ones.",
  }),
  embedding: {
    provider: setting(
      "SERVICE_EMBEDDING_PROVIDER",
      oneOf(["zero", "hash", "openai", "cohere", "gemini", "local"]),
      {
        default: "zero",
        help: "The embedding provider: zero finds nothing, hash compares words, a model compares meaning.",
      },
    ),
    dimension: setting(
      "SERVICE_EMBEDDING_DIMENSION",
      integer(1, EMBEDDING_DIMENSION_MAX, "components"),
      {
        default: 768,
        help: "Components of a vector, the same for all who share the stored ones.",
      },
    ),
    model: setting(
      "SERVICE_EMBEDDING_MODEL",
      text(/^[\x21-\x7e]{1,255}$/, {
        shape: "a model's name as its provider spells it",
        placeholder: "model",
      }),
      {
        example: "text-embedding-3-small",
        help: "Model of the provider; zero and hash have none.",
      },
    ),
    baseUrl: setting("SERVICE_EMBEDDING_BASE_URL", anyHttpUrl, {
      example: "http://127.0.0.1:11434/v1",
      help: "Base URL of the provider's API. Unset: the provider's public address.",
    }),
    apiKey: setting("SERVICE_EMBEDDING_API_KEY", secretText("the provider's API key"), {
      secret: true,
      example: "sk-…",
      help: "Key for the provider's API; unset: no key is sent, which local servers expect.",
    }),
    requestDimension: setting("SERVICE_EMBEDDING_REQUEST_DIMENSION", boolean, {
      default: false,
      help: "Ask the model for vectors of the dimension above; only some models can choose.",
    }),
    batchSizeMax: setting("SERVICE_EMBEDDING_BATCH_SIZE", integer(1, 2048, "texts"), {
      example: "64",
      help: "Texts in one request to the provider, at most; unset: the maximum of its API.",
    }),
    timeoutMs: setting("SERVICE_EMBEDDING_TIMEOUT_MS", milliseconds(1, EMBEDDING_TIMEOUT_MS_MAX), {
      default: 10_000,
      help: "How long one attempt of a request to the provider may take, in milliseconds.",
    }),
    attemptsMax: setting("SERVICE_EMBEDDING_ATTEMPTS", integer(1, 10, "attempts"), {
      default: 3,
      help: "Attempts of one request to the provider, the first included.",
    }),
  },
  payments: {
    secretKey: setting("PAYMENT_SECRET_KEY", secretText("the payment provider's secret key"), {
      secret: true,
      example: "sk_live_…",
      help: "Key for the payment provider; unset: payment requests are answered with PAYMENT_NOT_CONFIGURED.",
    }),
    apiBase: setting(
      "PAYMENT_API_BASE",
      httpUrl("an https:// URL without a path; http:// on this machine only"),
      {
        example: "https://payments.example.com",
        help: "Base URL of the payment provider's API; unset: the provider's own.",
      },
    ),
    publishableKey: setting(
      "PAYMENT_PUBLISHABLE_KEY",
      // A secret key, given by mistake, would be sent to browsers.
      text(/^pk_[A-Za-z0-9_]+$/, {
        shape: "the payment provider's publishable key, pk_…",
        placeholder: "key",
      }),
      {
        example: "pk_live_51H",
        help:
          "The key with which the console shows Stripe's own form on its page of payment methods, which then loads a script of " +
          "js.stripe.com; unset: people are led to Stripe's page, and the console loads nothing from another host.",
      },
    ),
  },
};

/** All settings, in the order of the table. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = settingsOf(SETTINGS);

/** The server that client commands connect to. It is not part of a server's configuration. */
export const SERVER_URL_SETTING: Setting<string> = setting("SERVICE_URL", anyHttpUrl, {
  default: "http://127.0.0.1:8080",
  flag: "server",
  help: "The server that the plan commands talk to.",
});
