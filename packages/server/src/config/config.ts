import type { SourceNotes } from "../catalog/ports.js";
import type { Intent, McpServer, VettedStatement } from "../governance/index.js";
import type { OrganizationAccess } from "@steward/kernel/data-source-access.js";
import type { MigrationWaits } from "@steward/schema";
import type { WebhookTarget } from "../webhooks/index.js";
import type { ValuesOf } from "./setting.js";
import type { SETTINGS } from "./settings.js";

type Values = ValuesOf<typeof SETTINGS>;

/** The values that stand in the configuration in another form than in the table of settings. */
type Reshaped =
  | ("dataSources" | "migrationUrls" | "toolsFile" | "toolsStrict")
  | ("auth" | "tls" | "migrationWaits" | "payments");

/**
 * The complete configuration of a start: read once, frozen, passed to the components. Contract §8
 * and Decision §1. Its members are the values of the table of settings, whose help describes them,
 * except for those below.
 */
export interface Config extends Omit<Values, Reshaped> {
  /** Databases that steps run on; the first is the default. */
  readonly dataSources: readonly DataSourceConfig[];
  readonly tools: ToolsConfig;
  readonly auth: AuthConfig;
  /** PEM files for TLS on every port; absent: no TLS. */
  readonly tls?: WithKeys<Values["tls"], "certFile" | "keyFile">;
  readonly migrationWaits: MigrationWaits;
  /** Absent: payment operations fail with an error that names the missing key. */
  readonly payments?: WithKeys<Values["payments"], "secretKey">;
}

/** The type with these keys required. */
type WithKeys<T, K extends keyof T> = T & Required<Pick<T, K>>;

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
  /** Time limit of one attempt of a step on it, in ms; absent: {@link Config.stepTimeoutMs}, which always applies. */
  readonly timeoutMs?: number;
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
  /** Its own statement, of which steps give only the parameters; absent: steps give the statement. */
  readonly vetted?: VettedStatement;
}

/** Authentication of callers (Decision §2), with one part per enabled mode. */
export interface AuthConfig {
  /**
   * Identity headers are trusted. Beyond loopback they must come from a trusted proxy, which is
   * recognized by its address or by a shared secret.
   */
  readonly headers?: {
    readonly trustedProxies: readonly string[];
    /** Secrets accepted in the header `x-proxy-secret`. */
    readonly proxySecrets: readonly string[];
  };
  /** JSON Web Tokens (RFC 7519). */
  readonly jwt?: WithKeys<Values["auth"]["jwt"], "issuer" | "audiences">;
  /** Whether API keys are accepted. */
  readonly apiKey?: true;
  readonly mtls?: {
    /** YAML file that maps certificates to callers. */
    readonly clientsFile: string;
  };
  /** How people sign in to the console at the OpenID provider; only with `jwt`. */
  readonly openid?: WithKeys<Values["auth"]["openid"], "clientId">;
  /** The proxies that tell the address of their client; absent: those of `headers`. */
  readonly trustedProxies?: readonly string[];
  /** The organizations in which a token or a proxy can give the role operator; absent: none. */
  readonly operatorOrganizations?: readonly string[];
}
