import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { sqliteFile } from "./database-url.js";
import type { SettingProblem, SettingValues } from "./read-settings.js";
import { isLoopback } from "./setting-types.js";
import { SETTINGS } from "./settings.js";

/** Problems of settings that are valid individually, but not together or not on this machine. */
export function checkSettings(values: SettingValues): readonly SettingProblem[] {
  return [
    checkExposure(values),
    ...checkJwt(values),
    checkApiKeys(values),
    checkOpenId(values),
    checkGrpcPort(values),
    checkStoreApart(values),
    ...checkMigrationUrls(values),
    ...checkMtls(values),
    checkTlsPair(values),
    checkReadable(SETTINGS.tlsCert.name, values.tlsCert.value),
    checkReadable(SETTINGS.tlsKey.name, values.tlsKey.value),
    checkReadable(SETTINGS.tlsClientCa.name, values.tlsClientCa.value),
    checkReadable(SETTINGS.auditExportCa.name, values.auditExportCa.value),
    checkReadable(SETTINGS.mtlsClients.name, values.mtlsClients.value),
    checkEmbeddingModel(values),
    checkEmbeddingKey(values),
  ].filter((problem) => problem !== undefined);
}

/**
 * In headers mode identity headers are trusted, so anybody who can reach the port could claim any
 * identity (Decision §2).
 */
function checkExposure(values: SettingValues): SettingProblem | undefined {
  const host = values.host.value;
  const guarded =
    values.trustedProxies.value !== undefined || values.proxySecret.value !== undefined;
  const believesHeaders = values.auth.value?.includes("headers") === true;
  if (host === undefined || isLoopback(host) || guarded || !believesHeaders) return undefined;
  return {
    setting: SETTINGS.host.name,
    reason: `${host} can be reached from other machines, and with SERVICE_AUTH=headers a client can claim any identity`,
    fix: `listen on 127.0.0.1, or put a proxy that sets the identity headers in front and name it in ${SETTINGS.trustedProxies.name} or share a secret with it in ${SETTINGS.proxySecret.name}, or ask for credentials: ${SETTINGS.auth.name}=jwt, apikey or mtls`,
  };
}

/** Without an audience check, a token issued for any other service would be accepted. */
function checkJwt(values: SettingValues): readonly SettingProblem[] {
  if (values.auth.value?.includes("jwt") !== true) return [];
  return [values.jwtIssuer, values.jwtAudience]
    .filter(({ value, problem }) => value === undefined && problem === undefined)
    .map(({ setting }) => ({
      setting: setting.name,
      reason: `${SETTINGS.auth.name}=jwt needs it, and it is not set`,
      fix: `set it to, for example, ${setting.type.example}`,
    }));
}

function checkApiKeys({ auth, databaseUrl }: SettingValues): SettingProblem | undefined {
  if (auth.value?.includes("apikey") !== true) return undefined;
  if (databaseUrl.value !== undefined || databaseUrl.problem !== undefined) return undefined;
  return {
    setting: SETTINGS.databaseUrl.name,
    reason: `${SETTINGS.auth.name}=apikey needs a store for the keys, and none is set`,
    fix: `set it to, for example, ${SETTINGS.databaseUrl.type.example}`,
  };
}

/** People sign in at the issuer whose tokens are accepted, and their sessions are stored. */
function checkOpenId({ auth, openIdClientId, databaseUrl }: SettingValues) {
  if (openIdClientId.value === undefined) return undefined;
  if (auth.value?.includes("jwt") !== true) {
    return {
      setting: SETTINGS.auth.name,
      reason: `${SETTINGS.openIdClientId.name} needs the mode jwt, which names the OpenID provider`,
      fix: `set ${SETTINGS.auth.name} to jwt, alone or with other modes`,
    };
  }
  if (databaseUrl.value !== undefined || databaseUrl.problem !== undefined) return undefined;
  return {
    setting: SETTINGS.databaseUrl.name,
    reason: `${SETTINGS.openIdClientId.name} needs a store for the sessions, and none is set`,
    fix: `set it to, for example, ${SETTINGS.databaseUrl.type.example}`,
  };
}

/** Client certificates need TLS, and are only trusted from a configured authority. */
function checkMtls(values: SettingValues): readonly SettingProblem[] {
  if (values.auth.value?.includes("mtls") !== true) return [];
  return [values.tlsCert, values.tlsKey, values.tlsClientCa, values.mtlsClients]
    .filter(({ value, problem }) => value === undefined && problem === undefined)
    .map(({ setting }) => ({
      setting: setting.name,
      reason: `${SETTINGS.auth.name}=mtls needs it, and it is not set`,
      fix: `set it to the path of a file, for example ${setting.type.example}`,
    }));
}

function checkGrpcPort({ port, grpcPort }: SettingValues): SettingProblem | undefined {
  if (grpcPort.value === undefined || grpcPort.value === 0) return undefined;
  if (grpcPort.value !== port.value) return undefined;
  return {
    setting: SETTINGS.grpcPort.name,
    reason: `it is the same as ${SETTINGS.port.name}`,
    fix: "leave it out: gRPC shares the port unless it has its own",
  };
}

/** Steward's own tables and the data sources must be different databases. */
function checkStoreApart({ databaseUrl, dataSources }: SettingValues): SettingProblem | undefined {
  const store = databaseUrl.value && identity(databaseUrl.value);
  const shared = dataSources.value?.find((source) => identity(source.url) === store);
  if (store === undefined || shared === undefined) return undefined;
  return {
    setting: SETTINGS.dataSources.name,
    reason: `data source "${shared.name}" is the database of ${SETTINGS.databaseUrl.name}: steps could change the service's own tables`,
    fix: "give the service a database of its own",
  };
}

/**
 * Each migration URL must belong to a data source, and both must be PostgreSQL, because SQLite has
 * no roles.
 */
function checkMigrationUrls({
  dataSources,
  migrationUrls,
}: SettingValues): readonly SettingProblem[] {
  const known = dataSources.value ?? [];
  return (migrationUrls.value ?? []).flatMap(({ name, url }) => {
    const source = known.find((each) => each.name === name);
    const isPostgres = [url, source?.url ?? ""].every((each) => sqliteFile(each) === undefined);
    if (source !== undefined && isPostgres) return [];
    const setting = SETTINGS.migrationUrls.name;
    if (source !== undefined) {
      const fix = "leave it out: only on PostgreSQL can migrations log in by another role";
      return [{ setting, reason: `${name} or its URL for migrations is a SQLite file`, fix }];
    }
    const names = known.map((each) => each.name).join(", ");
    const fix = names === "" ? `set ${SETTINGS.dataSources.name} too` : `use one of: ${names}`;
    return [{ setting, reason: `"${name}" is not a data source`, fix }];
  });
}

function identity(url: string): string {
  const file = sqliteFile(url);
  return file === undefined ? url : resolve(file);
}

function checkTlsPair({ tlsCert, tlsKey }: SettingValues): SettingProblem | undefined {
  if ((tlsCert.value === undefined) === (tlsKey.value === undefined)) return undefined;
  const missing = tlsCert.value === undefined ? SETTINGS.tlsCert : SETTINGS.tlsKey;
  return {
    setting: missing.name,
    reason: "TLS needs both a certificate and its key, and this one is not set",
    fix: `set it to the path of a PEM file, for example ${missing.type.example}`,
  };
}

/** The model must be named, because vectors of two models are never compared. */
function checkEmbeddingModel(values: SettingValues): SettingProblem | undefined {
  const provider = values.embeddingProvider.value;
  if (provider === undefined || provider === "zero" || provider === "hash") return undefined;
  if (values.embeddingModel.value !== undefined || values.embeddingModel.problem) return undefined;
  return {
    setting: SETTINGS.embeddingModel.name,
    reason: `the provider ${provider} needs a model, and none is set`,
    fix: `set it to, for example, ${EXAMPLE_MODELS[provider]}`,
  };
}

const EXAMPLE_MODELS = {
  openai: "text-embedding-3-small",
  cohere: "embed-v4.0",
  gemini: "gemini-embedding-001",
  local: "Xenova/all-mpnet-base-v2",
} as const;

/** The providers' own services require a key; a compatible server at another address may not. */
function checkEmbeddingKey(values: SettingValues): SettingProblem | undefined {
  const provider = values.embeddingProvider.value;
  const isService = provider === "openai" || provider === "cohere" || provider === "gemini";
  const key = values.embeddingApiKey;
  const isElsewhere =
    values.embeddingBaseUrl.value !== undefined || values.embeddingBaseUrl.problem;
  if (!isService || isElsewhere || key.value !== undefined || key.problem) return undefined;
  return {
    setting: SETTINGS.embeddingApiKey.name,
    reason: `the provider ${provider} needs a key, and none is set`,
    fix: `set it, or name a server that needs none in ${SETTINGS.embeddingBaseUrl.name}`,
  };
}

function checkReadable(setting: string, file: string | undefined): SettingProblem | undefined {
  if (file === undefined) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch {
    return {
      setting,
      reason: `the file ${file} cannot be read`,
      fix: "give the path of a file that this user may read",
    };
  }
}
