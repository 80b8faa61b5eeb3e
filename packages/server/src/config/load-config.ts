import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import { MIGRATION_TURN_WAIT_MS } from "@steward/schema/limits.js";
import { nearMiss } from "../kernel/near-miss.js";
import { present } from "../kernel/present.js";
import { checkSettings } from "./check-settings.js";
import type { AuthConfig, Config, DataSourceConfig } from "./config.js";
import type { Environment } from "./env.js";
import { fileVariable, SettingValues } from "./read-settings.js";
import type { SettingProblem, SettingReport, SettingSources } from "./read-settings.js";
import { SETTING_PREFIX, valuesOf, type ValuesOf } from "./setting.js";
import { ALL_SETTINGS, SERVER_URL_SETTING, SETTINGS } from "./settings.js";
import type { ToolsFile } from "./tools-file/tools-file.js";

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
  const values = new SettingValues(sources);
  // The parsed value, which may be a secret, is left out.
  const settings = values.all().map(({ value: _value, problem: _problem, ...shown }) => shown);
  const toolsFile = await readTools(
    values.of(SETTINGS.toolsFile).value,
    values.of(SETTINGS.dataSources).value ?? [],
    sources.env,
  );
  const problems = [
    ...values.all().flatMap(({ problem }) => problem ?? []),
    ...checkSettings(values),
    ...toolsFile.problems,
  ];
  const warnings = [...unknownVariables(sources), ...passwordsInFlags(sources)];
  if (problems.length > 0) return { settings, problems, warnings };
  const config = buildConfig(
    valuesOf(SETTINGS, (setting) => values.of(setting).value),
    toolsFile,
  );
  return { settings, problems, warnings, config };
}

/** The YAML parser and the schema are loaded only when there is a file, to keep starts fast. */
async function readTools(
  file: string | undefined,
  dataSources: readonly DataSourceConfig[],
  env: Environment,
): Promise<ToolsFile> {
  if (file === undefined) return { problems: [] };
  const { readToolsFile } = await import("./tools-file/tools-file.js");
  return readToolsFile(file, dataSources, env);
}

/** Most values stand in the configuration as in the table; others depend on one another. */
function buildConfig(values: ValuesOf<typeof SETTINGS>, file: ToolsFile): Config {
  const { dataSources, migrationUrls, toolsFile, toolsStrict, auth, tls, payments, ...same } =
    values;
  const { certFile, keyFile } = tls;
  const { secretKey } = payments;
  // The pins stand beside the tools file, so that they are deployed with it.
  const pinsFile = toolsFile?.replace(/(\.ya?ml)?$/i, ".pins.json");
  return deepFreeze({
    ...same,
    dataSources: dataSources.map((source) => ({
      ...source,
      ...present({ migrationUrl: migrationUrls.find(({ name }) => name === source.name)?.url }),
      ...file.sources?.get(source.name),
    })),
    tools: {
      tools: [],
      ...file.tools,
      strict: toolsStrict ?? file.tools?.strict ?? false,
      ...present({ pinsFile: file.tools?.mcpServers && pinsFile }),
    },
    auth: authOf(auth),
    ...(certFile !== undefined && keyFile !== undefined
      ? { tls: { ...tls, certFile, keyFile } }
      : {}),
    migrationWaits: { turnMs: MIGRATION_TURN_WAIT_MS, ...values.migrationWaits },
    ...(secretKey === undefined ? {} : { payments: { ...payments, secretKey } }),
  });
}

function authOf(values: ValuesOf<typeof SETTINGS>["auth"]): AuthConfig {
  const { modes, trustedProxies, proxySecrets, operatorOrganizations, jwt, openid } = values;
  const headers = { trustedProxies: trustedProxies ?? [], proxySecrets: proxySecrets ?? [] };
  const { clientId } = openid;
  return {
    ...(modes.includes("headers") ? { headers } : {}),
    ...(modes.includes("jwt")
      ? { jwt: { ...jwt, issuer: given(jwt.issuer), audiences: given(jwt.audiences) } }
      : {}),
    ...(modes.includes("apikey") ? { apiKey: true as const } : {}),
    ...(modes.includes("mtls") ? { mtls: { clientsFile: given(values.mtlsClients) } } : {}),
    ...(clientId === undefined ? {} : { openid: { ...openid, clientId } }),
    ...present({ trustedProxies, operatorOrganizations }),
  };
}

/** The value of a setting without which checkSettings refuses the mode. */
function given<T>(value: T | undefined): T {
  assert(value !== undefined, "the settings of each mode of authentication were checked");
  return value;
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part) deepFreeze(part);
  return Object.freeze(value);
}

/** Variables with our prefix that belong to no setting, probably misspelt. */
function unknownVariables({ env }: SettingSources): readonly string[] {
  const known = [...ALL_SETTINGS, SERVER_URL_SETTING].flatMap((setting) =>
    [setting.name, fileVariable(setting) ?? []].flat(),
  );
  const unprefixed = (name: string): string => name.slice(SETTING_PREFIX.length);
  return Object.keys(env)
    .filter((name) => name.startsWith(SETTING_PREFIX) && !known.includes(name))
    .sort()
    .map((name) => {
      const meant = nearMiss(unprefixed(name), known.map(unprefixed));
      const hint = meant === undefined ? "" : `; did you mean ${SETTING_PREFIX}${meant}?`;
      return `${name} is not a setting and is ignored${hint}`;
    });
}

/** Secrets in flags, which every user of the machine can see in the list of processes. */
function passwordsInFlags({ flags = {} }: SettingSources): readonly string[] {
  return ALL_SETTINGS.filter(({ name, mask }) => {
    const given = flags[name];
    return given !== undefined && mask !== undefined && mask(given) !== given;
  }).map(
    ({ name, flag = "" }) =>
      `--${flag} holds a password, which other users of this machine can see; use ${name}, or ${name}_FILE`,
  );
}
