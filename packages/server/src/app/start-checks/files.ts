import { X509Certificate } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { KnownClients } from "../../adapters/identity-mtls/index.js";
import { PinFile } from "../../adapters/mcp-client/index.js";
import { CheckpointSigner } from "../../audit/index.js";
import { type Config, SETTINGS } from "../../config/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { silentLog } from "@steward/kernel/log.js";
import { auditKeyOf } from "../rooms/audit.js";
import { readTls } from "../tls.js";
import { unwritable } from "./data-directory.js";
import { fail, ok, reasonOf, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** Checks the contents of the files that settings name, by reading them as a server does. */
export function checkFiles(config: Config): readonly Finding[] {
  const { auth, audit, tools, tls } = config;
  return [
    ...(tls === undefined ? [] : [checkTls(tls)]),
    ...(auth.mtls === undefined ? [] : [checkClients(auth.mtls.clientsFile)]),
    ...(config.databaseUrl === undefined ? [] : [checkAuditKey(config)]),
    ...(audit.exportCaFile === undefined ? [] : [checkExportCa(audit.exportCaFile)]),
    ...audit.exports.flatMap((target) =>
      target.kind === "file" ? [checkTarget(target.path)] : [],
    ),
    ...(tools.pinsFile === undefined ? [] : [checkPins(tools.pinsFile)]),
  ];
}

function checkTls(files: NonNullable<Config["tls"]>): Finding {
  const { certFile, keyFile } = files;
  const name = "TLS";
  const fix = `name a matching pair in ${SETTINGS.tls.certFile.name} and ${SETTINGS.tls.keyFile.name}`;
  return check(name, fix, () => {
    const { validFrom, validTo } = new X509Certificate(readTls(files).cert);
    const nowMs = systemClock.nowMs();
    if (Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo)) {
      return ok(name, `${keyFile} belongs to ${certFile}, which is valid until ${validTo}`);
    }
    const found = `${certFile} is valid from ${validFrom} to ${validTo}, which is not now`;
    return warn(name, found, "renew the certificate, or correct this machine's clock");
  });
}

function checkClients(file: string): Finding {
  const fix = `correct the file, which ${SETTINGS.auth.mtlsClients.name} names`;
  return check("known clients", fix, () => {
    new KnownClients({ file, clock: systemClock, log: silentLog });
    return ok("known clients", `${file} is valid`);
  });
}

function checkAuditKey(config: Config): Finding {
  const fix = `correct ${SETTINGS.audit.keyFile.name}, or the file`;
  return check("audit key", fix, () => {
    const pem = auditKeyOf(config);
    if (pem === undefined) return ok("audit key", "will be made by the first start");
    return ok("audit key", new CheckpointSigner(config.audit.name, pem).keyText);
  });
}

function checkExportCa(file: string): Finding {
  const fix = `name a PEM file of certificates in ${SETTINGS.audit.exportCaFile.name}`;
  return check("audit export", fix, () => {
    try {
      new X509Certificate(readFileSync(file));
    } catch (cause) {
      throw new Error(`${file}: ${reasonOf(cause)}`, { cause });
    }
    return ok("audit export", `${file} holds certificates`);
  });
}

/** Other targets may be away for a while; the export waits for them. */
function checkTarget(path: string): Finding {
  const name = "audit export";
  const fix = `correct ${SETTINGS.audit.exports.name}, or the rights of the directory`;
  const problem = unwritable(dirname(path));
  if (problem !== undefined) return fail(name, problem.found, `${problem.fix}, or ${fix}`);
  return check(name, fix, () => {
    if (existsSync(path)) closeSync(openSync(path, "r+"));
    return ok(name, `${path} can be written`);
  });
}

function checkPins(file: string): Finding {
  return check("MCP tools", "correct the file, or the one of SERVICE_TOOLS_FILE", () => {
    const pinned = new PinFile(file).read().size;
    return ok("MCP tools", `${String(pinned)} definitions are accepted in ${file}`);
  });
}

/** What the work finds, or its error as a failure. */
function check(name: string, fix: string, work: () => Finding): Finding {
  try {
    return work();
  } catch (error) {
    return fail(name, error instanceof AppError ? error.message : reasonOf(error), fix);
  }
}
