import { resolve } from "node:path";
import { sqliteFile } from "./database-url.js";
import type { SettingProblem, SettingValues } from "./read-settings.js";
import type { Setting } from "./setting.js";
import { isLoopback } from "../kernel/loopback.js";
import { SETTINGS } from "./settings.js";

const { auth, databaseUrl, dataSources, embedding, grpcPort, host, migrationUrls, port, tls } =
  SETTINGS;

/** Problems of settings that are valid individually, but not together. */
export function checkSettings(values: SettingValues): readonly SettingProblem[] {
  return [
    checkExposure,
    checkAuthentication,
    checkOpenId,
    checkGrpcPort,
    checkStoreApart,
    checkMigrationUrls,
    checkTlsPair,
    checkEmbedding,
  ].flatMap((check) => check(values));
}

type Problems = readonly SettingProblem[];

/** A problem when the setting is unset; a wrong value is a problem already. */
function required(
  values: SettingValues,
  setting: Setting<unknown>,
  reason: string,
  fix = `set it to, for example, ${setting.example}`,
): Problems {
  const { value, problem } = values.of(setting);
  if (value !== undefined || problem !== undefined) return [];
  return [{ setting: setting.name, reason, fix }];
}

/**
 * In headers mode identity headers are trusted, so anybody who can reach the port could claim any
 * identity (Decision §2).
 */
function checkExposure(values: SettingValues): Problems {
  const { value: address = "localhost" } = values.of(host);
  const { trustedProxies, proxySecrets } = auth;
  const guards = [values.of(trustedProxies).value, values.of(proxySecrets).value];
  const isGuarded = guards.some((value) => value !== undefined);
  if (isLoopback(address) || isGuarded || !hasMode(values, "headers")) return [];
  const reason = `${address} can be reached from other machines, and with SERVICE_AUTH=headers a client can claim any identity`;
  const fix = `listen on 127.0.0.1, or put a proxy that sets the identity headers in front and name it in ${trustedProxies.name} or share a secret with it in ${proxySecrets.name}, or ask for credentials: ${auth.modes.name}=jwt, apikey or mtls`;
  return [{ setting: host.name, reason, fix }];
}

function hasMode(values: SettingValues, mode: string): boolean {
  return values.of(auth.modes).value?.some((each) => each === mode) === true;
}

/** What each mode of authentication needs. */
function checkAuthentication(values: SettingValues): Problems {
  const needed = (setting: Setting<unknown>, mode: string, fix?: string): Problems =>
    hasMode(values, mode)
      ? required(values, setting, `${auth.modes.name}=${mode} needs it, and it is not set`, fix)
      : [];
  const { issuer, audiences } = auth.jwt;
  const { certFile, keyFile, clientCaFile } = tls;
  return [
    // Without an audience check, a token issued for any other service would be accepted.
    ...[issuer, audiences].flatMap((setting) => needed(setting, "jwt")),
    // Certificates of clients need TLS, and are only trusted from a configured authority.
    ...[certFile, keyFile, clientCaFile, auth.mtlsClients].flatMap((setting) =>
      needed(setting, "mtls", `set it to the path of a file, for example ${setting.example}`),
    ),
    ...(hasMode(values, "apikey")
      ? required(
          values,
          databaseUrl,
          `${auth.modes.name}=apikey needs a store for the keys, and none is set`,
        )
      : []),
  ];
}

/** People sign in at the issuer whose tokens are accepted, and their sessions are stored. */
function checkOpenId(values: SettingValues): Problems {
  const { name } = auth.openid.clientId;
  if (values.of(auth.openid.clientId).value === undefined) return [];
  if (hasMode(values, "jwt")) {
    return required(values, databaseUrl, `${name} needs a store for the sessions, and none is set`);
  }
  const reason = `${name} needs the mode jwt, which names the OpenID provider`;
  const fix = `set ${auth.modes.name} to jwt, alone or with other modes`;
  return [{ setting: auth.modes.name, reason, fix }];
}

function checkGrpcPort(values: SettingValues): Problems {
  const { value } = values.of(grpcPort);
  if (value === undefined || value === 0 || value !== values.of(port).value) return [];
  const fix = "leave it out: gRPC shares the port unless it has its own";
  return [{ setting: grpcPort.name, reason: `it is the same as ${port.name}`, fix }];
}

/** Steward's own tables and the data sources must be different databases. */
function checkStoreApart(values: SettingValues): Problems {
  const store = identity(values.of(databaseUrl).value ?? "");
  const shared = values.of(dataSources).value?.find(({ url }) => identity(url) === store);
  if (shared === undefined) return [];
  const reason = `data source "${shared.name}" is the database of ${databaseUrl.name}: steps could change the service's own tables`;
  return [{ setting: dataSources.name, reason, fix: "give the service a database of its own" }];
}

function identity(url: string): string {
  const file = sqliteFile(url);
  return file === undefined ? url : resolve(file);
}

/**
 * Each migration URL must belong to a data source, and both must be PostgreSQL, because SQLite has
 * no roles.
 */
function checkMigrationUrls(values: SettingValues): Problems {
  const known = values.of(dataSources).value ?? [];
  return (values.of(migrationUrls).value ?? []).flatMap(({ name, url }) => {
    const source = known.find((each) => each.name === name);
    const isPostgres = [url, source?.url ?? ""].every((each) => sqliteFile(each) === undefined);
    if (source !== undefined && isPostgres) return [];
    const setting = migrationUrls.name;
    if (source !== undefined) {
      const fix = "leave it out: only on PostgreSQL can migrations log in by another role";
      return [{ setting, reason: `${name} or its URL for migrations is a SQLite file`, fix }];
    }
    const names = known.map((each) => each.name).join(", ");
    const fix = names === "" ? `set ${dataSources.name} too` : `use one of: ${names}`;
    return [{ setting, reason: `"${name}" is not a data source`, fix }];
  });
}

function checkTlsPair(values: SettingValues): Problems {
  const pair = [tls.certFile, tls.keyFile];
  if (pair.every((setting) => values.of(setting).origin === "unset")) return [];
  return pair.flatMap((setting) =>
    required(
      values,
      setting,
      "TLS needs both a certificate and its key, and this one is not set",
      `set it to the path of a PEM file, for example ${setting.example}`,
    ),
  );
}

/** A model must be named, because vectors of two models are never compared. */
function checkEmbedding(values: SettingValues): Problems {
  const provider = values.of(embedding.provider).value;
  if (provider === undefined || provider === "zero" || provider === "hash") return [];
  const model = required(
    values,
    embedding.model,
    `the provider ${provider} needs a model, and none is set`,
    `set it to, for example, ${EXAMPLE_MODELS[provider]}`,
  );
  // The providers' own services require a key; a compatible server at another address may not.
  if (provider === "local" || values.of(embedding.baseUrl).origin !== "unset") return model;
  return [
    ...model,
    ...required(
      values,
      embedding.apiKey,
      `the provider ${provider} needs a key, and none is set`,
      `set it, or name a server that needs none in ${embedding.baseUrl.name}`,
    ),
  ];
}

const EXAMPLE_MODELS = {
  openai: "text-embedding-3-small",
  cohere: "embed-v4.0",
  gemini: "gemini-embedding-001",
  local: "Xenova/all-mpnet-base-v2",
} as const;
