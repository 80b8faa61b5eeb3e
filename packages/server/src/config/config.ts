import type { Intent } from "../governance/index.js";
import type { OrganizationAccess } from "../kernel/data-source-access.js";
import type { MigrationWaits } from "../schema/index.js";

/** Everything a start needs to know: read once, frozen, passed in. Contract §8 and Decision §1. */
export interface Config {
  /** Address to listen on. */
  readonly host: string;
  /** TCP port of REST and, unless `grpcPort` splits it off, gRPC; 0: any free one. */
  readonly port: number;
  /** TCP port of gRPC alone; absent: shared with `port`. */
  readonly grpcPort?: number;
  /** Directory for everything kept beside the database. */
  readonly dataDir: string;
  /** `sqlite:PATH` or `postgres://…`; absent: nothing is kept and every write says so. */
  readonly databaseUrl?: string;
  /** Databases that steps run on; the first is the default one. */
  readonly dataSources: readonly DataSourceConfig[];
  /** The service's only organization, to which data sources belong that are bound to none; UUID, lower case. */
  readonly organization?: string;
  readonly tools: ToolsConfig;
  readonly auth: AuthConfig;
  readonly tls?: TlsConfig;
  /** Whether the descriptions of the API are served: `/docs`, `/openapi.json` and gRPC reflection. */
  readonly docs: boolean;
  /** How much one organization may ask of this server. */
  readonly quotas: QuotaConfig;
  /** Milliseconds one attempt of a step may run. */
  readonly stepTimeoutMs: number;
  /** Milliseconds a step may wait for its turn at its data source. */
  readonly stepWaitMs: number;
  /** Readers of a SQLite file, or sessions of a PostgreSQL database, at once; absent: 4, or 10. */
  readonly sessionsMax?: number;
  /** Milliseconds after its creation by which a plan must be done. */
  readonly planDeadlineMs: number;
  /** Rows that one step may change in a data source. */
  readonly rowsChangedMax: number;
  readonly migrationWaits: MigrationWaits;
  readonly logLevel: LogLevel;
  /** Whether memory search tells which tables deletions reach (Contract §4.4 rule 3). */
  readonly cascadeEnrichment: boolean;
  readonly embedding: EmbeddingConfig;
  /** Absent: every payment operation says that no key is set. */
  readonly payments?: PaymentsConfig;
}

/** How much one organization may ask of one server. */
export interface QuotaConfig {
  readonly requestsPerSecond: number;
  /** Requests to execute a step that are under way at once. */
  readonly stepsMax: number;
  /** Event streams that are open at once. */
  readonly streamsMax: number;
}

/** How the payment provider is reached (Decision §8). */
export interface PaymentsConfig {
  /** Never shown. */
  readonly secretKey: string;
  /** Another base URL than the provider's own. */
  readonly apiBase?: string;
}

/** What turns text into vectors (Contract §4.6, §8). */
export interface EmbeddingConfig {
  readonly provider: EmbeddingProviderName;
  /** Components of every vector; the same for all who share the stored ones. */
  readonly dimension: number;
  /** As the provider names it; `zero` and `hash` have none. */
  readonly model?: string;
  /** Another base URL than the provider's own. */
  readonly baseUrl?: string;
  /** Never shown. */
  readonly apiKey?: string;
  /** Whether the model is asked for vectors of the dimension, which only some can choose. */
  readonly requestDimension: boolean;
  /** Texts in one request, at most; absent: what the provider's API takes. */
  readonly batchSizeMax?: number;
  /** Milliseconds one attempt of a request may take. */
  readonly timeoutMs: number;
  /** Attempts of one request, the first included. */
  readonly attemptsMax: number;
}

/**
 * `zero`: vectors of zeros, the contract's default. `hash`: hashed words, needs no model. `openai`: any
 * server that speaks OpenAI's API. `cohere`, `gemini`: those services. `local`: a model in this process.
 */
export type EmbeddingProviderName = "zero" | "hash" | "openai" | "cohere" | "gemini" | "local";

/** Verbosity of the log, most verbose first. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** One database that steps run on. */
export interface DataSourceConfig {
  readonly name: string;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly url: string;
  /** Where migrations log in, on PostgreSQL; absent: as steps do. */
  readonly migrationUrl?: string;
  /** The organizations that it is bound to; absent: none, as {@link Config.organization} says. */
  readonly organizations?: readonly OrganizationAccess[];
  /** Readers of its SQLite file, or sessions of its PostgreSQL database, at once; absent: {@link Config.sessionsMax}. */
  readonly sessionsMax?: number;
}

/** Which tool names there are (the tools file). */
export interface ToolsConfig {
  /** Refuse tool names that are not listed. */
  readonly strict: boolean;
  readonly tools: readonly ToolConfig[];
}

/** One tool of the tools file. */
export interface ToolConfig {
  readonly name: string;
  readonly dataSource: string;
  readonly allowedIntents?: readonly Intent[];
  readonly annotatedIntent?: Intent;
}

/** How callers are known (Decision §2): one part for each mode that is on. */
export interface AuthConfig {
  readonly headers?: HeadersAuthConfig;
  readonly jwt?: JwtAuthConfig;
  /** API keys of the store are taken. */
  readonly apiKey?: true;
  readonly mtls?: MtlsAuthConfig;
}

/** Whose client certificates are taken. */
export interface MtlsAuthConfig {
  /** YAML file that says who each certificate belongs to. */
  readonly clientsFile: string;
}

/** Which JSON Web Tokens are taken (RFC 7519), and which claims say what. */
export interface JwtAuthConfig {
  readonly issuer: string;
  /** One of them is in the claim `aud`. */
  readonly audiences: readonly string[];
  /** Absent: the issuer's discovery document says where its keys are. */
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
 * Identity headers are believed (Decision §2), so beyond loopback somebody must have set them: a
 * proxy at a known address, or one that knows the shared secret.
 */
export interface HeadersAuthConfig {
  /** Addresses or CIDR ranges whose requests are believed. */
  readonly trustedProxies: readonly string[];
  /** What a trusted proxy sends as `x-proxy-secret`: any of these. */
  readonly proxySecrets: readonly string[];
}

/** PEM files for TLS on every port. */
export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authorities whose client certificates are taken; absent: none is asked for. */
  readonly clientCaFile?: string;
}
