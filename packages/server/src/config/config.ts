import type { VerifierKey } from "../audit/index.js";
import type { Witness } from "../audit/witnesses/ports.js";
import type { ExportTarget } from "../audit-export/ports.js";
import type { SourceNotes } from "../catalog/ports.js";
import type { Intent, McpServer } from "../governance/index.js";
import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import type { MigrationWaits } from "@steward/schema";
import type { WebhookTarget } from "../webhooks/index.js";

/**
 * The complete configuration of a start: read once, frozen, passed to the components. Contract §8
 * and Decision §1.
 */
export interface Config {
  /** Address to listen on. */
  readonly host: string;
  /** TCP port of REST and, without `grpcPort`, also of gRPC; 0: any free port. */
  readonly port: number;
  /** TCP port of gRPC; absent: gRPC shares `port`. */
  readonly grpcPort?: number;
  /** Directory for all files other than the database. */
  readonly dataDir: string;
  /**
   * `sqlite:PATH` or `postgres://…`; absent: nothing is stored, and every write fails with an error
   * that says so.
   */
  readonly databaseUrl?: string;
  /** Databases that steps run on; the first is the default. */
  readonly dataSources: readonly DataSourceConfig[];
  /** The only organization of the service, which owns unbound data sources; UUID, lower case. */
  readonly organization?: string;
  readonly tools: ToolsConfig;
  readonly audit: AuditConfig;
  readonly auth: AuthConfig;
  readonly tls?: TlsConfig;
  /** Whether `/docs`, `/openapi.json` and gRPC reflection are served. */
  readonly docs: boolean;
  /** Whether the console for browsers is served. */
  readonly console: boolean;
  /** The URL under which browsers reach the server; absent: the host of each request is used. */
  readonly publicUrl?: string;
  /** Limits per organization on this server. */
  readonly quotas: QuotaConfig;
  /** Bytes that one organization may store; absent: without limit. */
  readonly orgBytesMax?: number;
  /** Time limit of one attempt of a step, in ms. */
  readonly stepTimeoutMs: number;
  /** Time limit of a step's wait in its data source's queue, in ms. */
  readonly stepWaitMs: number;
  /**
   * Limit of concurrent readers of a SQLite file, or sessions of a PostgreSQL database; absent: 4
   * and 10.
   */
  readonly sessionsMax?: number;
  /** Time after its creation by which a plan must be finished, in ms. */
  readonly planDeadlineMs: number;
  /** How long an approval is valid, from its request on, in ms. */
  readonly approvalValidMs: number;
  /** Limit of rows that one step may change in a data source. */
  readonly rowsChangedMax: number;
  readonly migrationWaits: MigrationWaits;
  readonly retention: RetentionConfig;
  readonly logLevel: LogLevel;
  /**
   * Whether results of a memory search include the tables that deletions cascade to (Contract §4.4
   * rule 3).
   */
  readonly cascadeEnrichment: boolean;
  readonly embedding: EmbeddingConfig;
  /** Absent: payment operations fail with an error that names the missing key. */
  readonly payments?: PaymentsConfig;
}

/** For how long data is kept. */
export interface RetentionConfig {
  /** Days by class of data; an absent class is kept without limit. */
  readonly periods: {
    readonly plans?: number;
    readonly idempotency_keys?: number;
    readonly memory?: number;
    readonly usage_detail?: number;
  };
  /** Whether organizations may keep their data for longer. */
  readonly mayBeLonger: boolean;
}

/** The signature of the audit log (Decision §23). */
export interface AuditConfig {
  /** The name of the log in its checkpoints. */
  readonly name: string;
  /** PEM file of the private key; absent: a file in the data directory, made at the first start. */
  readonly keyFile?: string;
  /** Servers of others that cosign its checkpoints. */
  /** The key that the present one replaces. */
  readonly replacedKey?: VerifierKey;
  readonly witnesses: readonly Witness[];
  /** Where the log is exported to. */
  readonly exports: readonly ExportTarget[];
  /** The header for HTTP collectors, `Name: value`. Never shown. */
  readonly exportHeader?: string;
  /** PEM file of the authorities of the receivers' certificates. */
  readonly exportCaFile?: string;
}

/** Limits per organization on one server. */
export interface QuotaConfig {
  readonly requestsPerSecond: number;
  /** Concurrent ExecuteStep requests. */
  readonly stepsMax: number;
  /** Concurrent event streams. */
  readonly streamsMax: number;
}

/** Access to the payment provider (Decision §8). */
export interface PaymentsConfig {
  /** Stripe's form is shown in the console; absent: people are led to Stripe's page. */
  readonly publishableKey?: string;
  /** Never shown. */
  readonly secretKey: string;
  /** Replaces the provider's own base URL. */
  readonly apiBase?: string;
}

/** The embedding provider (Contract §4.6, §8). */
export interface EmbeddingConfig {
  readonly provider: EmbeddingProviderName;
  /** Length of every vector; equal for all servers that share a store. */
  readonly dimension: number;
  /** The provider's name of the model; `zero` and `hash` have none. */
  readonly model?: string;
  /** Replaces the provider's own base URL. */
  readonly baseUrl?: string;
  /** Never shown. */
  readonly apiKey?: string;
  /** Whether requests ask for vectors of `dimension`, which only some models support. */
  readonly requestDimension: boolean;
  /** Limit of texts per request; absent: the limit of the provider's API. */
  readonly batchSizeMax?: number;
  /** Time limit of one attempt of a request, in ms. */
  readonly timeoutMs: number;
  /** Attempts of one request, the first included. */
  readonly attemptsMax: number;
}

/**
 * `zero`: vectors of zeros, the contract's default. `hash`: hashed words, without a model.
 * `openai`: any server with OpenAI's API. `cohere`, `gemini`: the services of that name. `local`: a
 * model in this process.
 */
export type EmbeddingProviderName = "zero" | "hash" | "openai" | "cohere" | "gemini" | "local";

/** Verbosity of the log, most verbose first. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** A database that steps run on. */
export interface DataSourceConfig {
  readonly name: string;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** On PostgreSQL, the URL that migrations connect to; absent: the URL of the steps. */
  readonly migrationUrl?: string;
  /**
   * The organizations that the data source is bound to; absent: it is unbound, see {@link
   * Config.organization}.
   */
  readonly organizations?: readonly OrganizationAccess[];
  /**
   * Limit of concurrent readers of its SQLite file, or sessions of its PostgreSQL database; absent:
   * {@link Config.sessionsMax}.
   */
  readonly sessionsMax?: number;
  /** Whether its writes may be previewed for people who approve them; absent: true. */
  readonly previews?: boolean;
}

/** The content of the tools file. */
export interface ToolsConfig {
  /** Whether unlisted tool names are refused. */
  readonly strict: boolean;
  readonly tools: readonly ToolConfig[];
  /** Other MCP servers whose tools steps may call; absent: none. */
  readonly mcpServers?: readonly McpServer[];
  /** The file with the accepted definitions of those tools; absent: none is accepted. */
  readonly pinsFile?: string;
  /** Receivers of webhooks; absent: none. */
  readonly webhooks?: readonly WebhookTarget[];
  /** Notes by owners, by data source; absent: none. */
  readonly notes?: ReadonlyMap<string, SourceNotes>;
}

/** A tool of the tools file. */
export interface ToolConfig {
  readonly name: string;
  readonly dataSource: string;
  readonly allowedIntents?: readonly Intent[];
}

/** Authentication of callers (Decision §2), with one part per enabled mode. */
export interface AuthConfig {
  readonly headers?: HeadersAuthConfig;
  readonly jwt?: JwtAuthConfig;
  /** Whether API keys are accepted. */
  readonly apiKey?: true;
  readonly mtls?: MtlsAuthConfig;
  /** How people sign in to the console at the OpenID provider; only with `jwt`. */
  readonly openid?: OpenIdClientConfig;
  /** The proxies that tell the address of their client; absent: those of `headers`. */
  readonly trustedProxies?: readonly string[];
  /** The organizations in which a token or a proxy can give the role operator; absent: none. */
  readonly operatorOrganizations?: readonly string[];
}

/** This service as a client of the OpenID provider. */
export interface OpenIdClientConfig {
  readonly clientId: string;
  /** Never shown. Absent: a public client. */
  readonly clientSecret?: string;
}

/** Client certificates that are accepted. */
export interface MtlsAuthConfig {
  /** YAML file that maps certificates to callers. */
  readonly clientsFile: string;
}

/** JSON Web Tokens that are accepted (RFC 7519), and the claims that identify callers. */
export interface JwtAuthConfig {
  readonly issuer: string;
  /** The token's `aud` must contain one of them. */
  readonly audiences: readonly string[];
  /** Absent: the URL is taken from the issuer's discovery document. */
  readonly jwksUrl?: string;
  readonly algorithms: readonly string[];
  readonly clockSkewMs: number;
  readonly claims: {
    readonly org: string;
    readonly user: string;
    readonly agent: string;
    readonly roles: string;
    readonly permissions: string;
  };
}

/**
 * In headers mode identity headers are trusted (Decision §2). Beyond loopback they must come from a
 * trusted proxy, which is recognized by its address or by a shared secret.
 */
export interface HeadersAuthConfig {
  /** Addresses or CIDR ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** Secrets accepted in the header `x-proxy-secret`. */
  readonly proxySecrets: readonly string[];
}

/** PEM files for TLS on every port. */
export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authorities of accepted client certificates; absent: no client certificate is requested. */
  readonly clientCaFile?: string;
}
