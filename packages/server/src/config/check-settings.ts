import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { sqliteFile } from "./database-url.js";
import type { SettingProblem, SettingValues } from "./read-settings.js";
import { isLoopback } from "./setting-types.js";
import { SETTINGS } from "./settings.js";

/** What is wrong with settings that are each right, but not together or not on this machine. */
export function checkSettings(values: SettingValues): readonly SettingProblem[] {
  return [
    checkExposure(values),
    checkGrpcPort(values),
    checkStoreApart(values),
    checkTlsPair(values),
    checkReadable(SETTINGS.tlsCert.name, values.tlsCert.value),
    checkReadable(SETTINGS.tlsKey.name, values.tlsKey.value),
  ].filter((problem) => problem !== undefined);
}

/** Headers are believed, so whoever reaches the port could be anybody (Decision §2). */
function checkExposure(values: SettingValues): SettingProblem | undefined {
  const host = values.host.value;
  const guarded =
    values.trustedProxies.value !== undefined || values.proxySecret.value !== undefined;
  if (host === undefined || isLoopback(host) || guarded) return undefined;
  return {
    setting: SETTINGS.host.name,
    reason: `${host} can be reached from other machines, and with SERVICE_AUTH=headers whoever reaches it is whoever it claims to be`,
    fix: `listen on 127.0.0.1, or put a proxy that sets the identity headers in front and name it in ${SETTINGS.trustedProxies.name} or share a secret with it in ${SETTINGS.proxySecret.name}`,
  };
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

/** Our own tables and the data that agents act on are never the same database. */
function checkStoreApart({ databaseUrl, dataSources }: SettingValues): SettingProblem | undefined {
  const store = databaseUrl.value && identity(databaseUrl.value);
  const shared = dataSources.value?.find((source) => identity(source.url) === store);
  if (store === undefined || shared === undefined) return undefined;
  return {
    setting: SETTINGS.dataSources.name,
    reason: `data source "${shared.name}" is the database of ${SETTINGS.databaseUrl.name}: steps could change the plans themselves`,
    fix: "give the service a database of its own",
  };
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
