import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import { MIGRATION_TURN_WAIT_MS } from "@steward/schema/limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import { checkSettings } from "./check-settings.js";
import type {
  AuthConfig,
  Config,
  DataSourceConfig,
  EmbeddingConfig,
  JwtAuthConfig,
  PaymentsConfig,
  TlsConfig,
} from "./config.js";
import type { Environment } from "./env.js";
import { fileVariable, readSettings } from "./read-settings.js";
import type {
  SettingProblem,
  SettingReport,
  SettingSources,
  SettingValue,
  SettingValues,
} from "./read-settings.js";
import { SERVER_URL_SETTING, SETTINGS } from "./settings.js";
import type { Setting } from "./settings.js";
import type { ToolsFile } from "./tools-file.js";

/** The result of reading a configuration, valid or not. */
export interface ConfigReading {
  /** All settings, in the table's order. */
  readonly settings: readonly SettingReport[];
  /** All errors; empty exactly when there is a config. */
  readonly problems: readonly SettingProblem[];
  /** Likely mistakes that do not stop the start, as sentences. */
  readonly warnings: readonly string[];
  readonly config?: Config;
}

/**
 * Loads the frozen configuration of a start.
 * @throws AppError `INVALID_ARGUMENT` with every invalid setting in its details.
 */
export async function loadConfig(sources: SettingSources): Promise<Config> {
  const { config, problems } = await readConfig(sources);
  if (config !== undefined) return config;
  throw new AppError("INVALID_ARGUMENT", "The configuration is not usable; nothing was started", {
    details: problems.map(({ setting, reason, fix }) => ({
      field: setting,
      reason: `${reason}; fix: ${fix}`,
    })),
  });
}

/** Reads all settings and reports all errors, instead of stopping at the first. */
export async function readConfig(sources: SettingSources): Promise<ConfigReading> {
  const values = readSettings(sources);
  const readings: readonly SettingValue<unknown>[] = Object.values(values);
  const settings = readings.map(forShow);
  const toolsFile = await readTools(
    values.toolsFile.value,
    values.dataSources.value ?? [],
    sources.env,
  );
  const problems = [
    ...readings.flatMap(({ problem }) => problem ?? []),
    ...checkSettings(values),
    ...toolsFile.problems,
  ];
  const warnings = [...unknownVariables(sources), ...passwordsInFlags(sources)];
  if (problems.length > 0) return { settings, problems, warnings };
  return { settings, problems, warnings, config: buildConfig(values, toolsFile) };
}

/** The YAML parser and the schema are loaded only when there is a file, to keep starts fast. */
async function readTools(
  file: string | undefined,
  dataSources: readonly DataSourceConfig[],
  env: Environment,
): Promise<ToolsFile> {
  if (file === undefined) return { problems: [] };
  const { readToolsFile } = await import("./tools-file.js");
  return readToolsFile(file, dataSources, env);
}

/** Omits the parsed value, which may be a secret. */
function forShow({ setting, origin, shown }: SettingValue<unknown>): SettingReport {
  return { setting, origin, ...present("shown", shown) };
}

function buildConfig(
  values: SettingValues,
  { tools: listed, bound, sessions, unpreviewed }: ToolsFile,
): Config {
  const migrationUrls = values.migrationUrls.value ?? [];
  const strict = values.toolsStrict.value ?? listed?.strict ?? false;
  return deepFreeze({
    host: given(values.host),
    port: given(values.port),
    ...present("grpcPort", values.grpcPort.value),
    dataDir: given(values.dataDir),
    ...present("databaseUrl", values.databaseUrl.value),
    dataSources: (values.dataSources.value ?? []).map((source) => ({
      ...source,
      ...present("migrationUrl", migrationUrls.find(({ name }) => name === source.name)?.url),
      ...present("organizations", bound?.get(source.name)),
      ...present("sessionsMax", sessions?.get(source.name)),
      ...(unpreviewed?.has(source.name) === true ? { previews: false } : {}),
    })),
    ...present("organization", values.organization.value),
    tools: {
      tools: [],
      ...listed,
      strict,
      ...(listed?.mcpServers === undefined
        ? {}
        : present("pinsFile", pinsFileOf(values.toolsFile.value))),
    },
    audit: {
      name: given(values.auditName),
      ...present("keyFile", values.auditKeyFile.value),
      ...present("replacedKey", values.auditReplacedKey.value),
      witnesses: values.auditWitnesses.value ?? [],
      exports: values.auditExport.value ?? [],
      ...present("exportHeader", values.auditExportHeader.value),
      ...present("exportCaFile", values.auditExportCa.value),
    },
    auth: authOf(values),
    ...present("tls", tlsOf(values)),
    docs: given(values.docs),
    console: given(values.console),
    ...present("publicUrl", values.publicUrl.value),
    quotas: {
      requestsPerSecond: given(values.orgRequestsPerSecond),
      stepsMax: given(values.orgStepsMax),
      streamsMax: given(values.orgStreamsMax),
    },
    ...limited("orgBytesMax", given(values.orgBytesMax)),
    stepTimeoutMs: given(values.stepTimeoutMs),
    stepWaitMs: given(values.stepWaitMs),
    ...present("sessionsMax", values.sessionsMax.value),
    planDeadlineMs: given(values.planDeadlineMs),
    approvalValidMs: given(values.approvalValidMs),
    rowsChangedMax: given(values.rowsChangedMax),
    migrationWaits: {
      turnMs: MIGRATION_TURN_WAIT_MS,
      lockMs: given(values.migrationLockWaitMs),
      indexMs: given(values.migrationIndexWaitMs),
    },
    retention: {
      periods: {
        ...limited("plans", given(values.retentionPlansDays)),
        ...limited("idempotency_keys", given(values.retentionKeysDays)),
        ...limited("memory", given(values.retentionMemoryDays)),
        ...limited("usage_detail", given(values.retentionUsageDays)),
      },
      mayBeLonger: given(values.retentionLonger),
    },
    logLevel: given(values.logLevel),
    cascadeEnrichment: given(values.cascadeEnrichment) === "on",
    embedding: embeddingOf(values),
    ...present("payments", paymentsOf(values)),
  });
}

/** A period in days or a number of bytes; 0 is no limit. */
function limited<Name extends string>(name: Name, most: number): Partial<Record<Name, number>> {
  return present(name, most === 0 ? undefined : most);
}

/** The pins stand beside the tools file, so that they are deployed with it. */
function pinsFileOf(toolsFile: string | undefined): string | undefined {
  return toolsFile?.replace(/(\.ya?ml)?$/i, ".pins.json");
}

function tlsOf({ tlsCert, tlsKey, tlsClientCa }: SettingValues): TlsConfig | undefined {
  const [certFile, keyFile] = [tlsCert.value, tlsKey.value];
  if (certFile === undefined || keyFile === undefined) return undefined;
  return { certFile, keyFile, ...present("clientCaFile", tlsClientCa.value) };
}

function authOf(values: SettingValues): AuthConfig {
  const modes = given(values.auth);
  const headers = {
    trustedProxies: values.trustedProxies.value ?? [],
    proxySecrets: values.proxySecret.value ?? [],
  };
  return {
    ...(modes.includes("headers") ? { headers } : {}),
    ...(modes.includes("jwt") ? { jwt: jwtOf(values) } : {}),
    ...(modes.includes("apikey") ? { apiKey: true as const } : {}),
    ...(modes.includes("mtls") ? { mtls: { clientsFile: given(values.mtlsClients) } } : {}),
    ...present("openid", openIdOf(values)),
    ...present("trustedProxies", values.trustedProxies.value),
    ...present("operatorOrganizations", values.operatorOrganizations.value),
  };
}

function openIdOf({ openIdClientId, openIdClientSecret }: SettingValues) {
  const clientId = openIdClientId.value;
  if (clientId === undefined) return undefined;
  return { clientId, ...present("clientSecret", openIdClientSecret.value) };
}

function jwtOf(values: SettingValues): JwtAuthConfig {
  return {
    // When the mode is enabled without this setting, `problems` says so.
    issuer: given(values.jwtIssuer),
    audiences: given(values.jwtAudience),
    ...present("jwksUrl", values.jwtJwksUrl.value),
    algorithms: given(values.jwtAlgorithms),
    clockSkewMs: given(values.jwtClockSkewMs),
    claims: { ...DEFAULT_CLAIMS, ...values.jwtClaims.value },
  };
}

const DEFAULT_CLAIMS = {
  org: "org_id",
  user: "sub",
  agent: "act.sub",
  roles: "roles",
  permissions: "permissions",
} as const;

function embeddingOf(values: SettingValues): EmbeddingConfig {
  return {
    provider: given(values.embeddingProvider),
    dimension: given(values.embeddingDimension),
    ...present("model", values.embeddingModel.value),
    ...present("baseUrl", values.embeddingBaseUrl.value),
    ...present("apiKey", values.embeddingApiKey.value),
    requestDimension: given(values.embeddingRequestDimension),
    ...present("batchSizeMax", values.embeddingBatchSize.value),
    timeoutMs: given(values.embeddingTimeoutMs),
    attemptsMax: given(values.embeddingAttempts),
  };
}

function paymentsOf(values: SettingValues): PaymentsConfig | undefined {
  const secretKey = values.paymentSecretKey.value;
  if (secretKey === undefined) return undefined;
  return {
    secretKey,
    ...present("apiBase", values.paymentApiBase.value),
    ...present("publishableKey", values.paymentPublishableKey.value),
  };
}

function given<T>({ setting, value }: SettingValue<T>): T {
  assert(value !== undefined, `${setting.name} has a default`);
  return value;
}

/** An object with the property only if it has a value, as `exactOptionalPropertyTypes` requires. */
function present<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  // TypeScript widens a computed key to string.
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part) deepFreeze(part);
  return Object.freeze(value);
}

/** Variables with our prefix that belong to no setting, probably misspelt. */
function unknownVariables({ env }: SettingSources): readonly string[] {
  const settings = [...Object.values<Setting<unknown>>({ ...SETTINGS }), SERVER_URL_SETTING];
  const known = settings.flatMap((setting) => [setting.name, fileVariable(setting) ?? []].flat());
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name),
  );
  return unknown.sort().map((name) => {
    const meant = nearMiss(
      name.slice(PREFIX.length),
      known.map((other) => other.slice(PREFIX.length)),
    );
    const hint = meant === undefined ? "" : `; did you mean ${PREFIX}${meant}?`;
    return `${name} is not a setting and is ignored${hint}`;
  });
}

/** Secrets in flags, which every user of the machine can see in the list of processes. */
function passwordsInFlags({ flags = {} }: SettingSources): readonly string[] {
  return Object.values<Setting<unknown>>({ ...SETTINGS }).flatMap((setting) => {
    const { name, flag = "", mask } = setting;
    const given = flags[name];
    if (given === undefined || mask === undefined || mask(given) === given) return [];
    return [
      `--${flag} holds a password, which other users of this machine can see; use ${name}, or ${name}_FILE`,
    ];
  });
}

const PREFIX = "SERVICE_";
