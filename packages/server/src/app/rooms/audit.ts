import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "@steward/kernel/errors.js";
import { openSink } from "../../adapters/audit-sinks/index.js";
import { AuditExporter } from "../../audit-export/index.js";
import { AuditSequencer, AuditService, CheckpointSigner } from "../../audit/index.js";
import type { Config } from "../../config/index.js";
import { version } from "../../version.js";
import type { Basics } from "./basics.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import {
  assertPrivate,
  makePrivateDirectory,
  PRIVATE_FILE_MODE,
} from "../../storage/private-files.js";
import type { AuditStore } from "../../storage/store.js";

/** Dependencies of the audit log. */
interface AuditParts extends Pick<Basics, "clock" | "ids" | "log" | "telemetry"> {
  readonly config: Pick<Config, "audit" | "dataDir">;
  readonly store: AuditStore | undefined;
}

/**
 * Starts appending to the audit log and its export; closing it appends what is waiting. Without a store there is no
 * log, and every read says so.
 */
export function openAudit(
  { config, store, ...basics }: AuditParts,
  opened: DisposalStack,
): AuditService {
  if (store === undefined) return new AuditService(undefined);
  const { clock, log } = basics;
  openExport({ config, store, ...basics }, opened);
  const pem = signingKey(config);
  const signer = new CheckpointSigner(config.audit.name, pem);
  const sequencer = opened.use(new AuditSequencer({ ...store, signer, clock, log }));
  return new AuditService({ archive: store.archive, sequencer });
}

/** Without targets nothing is exported. */
function openExport(
  {
    config: { audit },
    store,
    clock,
    ids,
    log,
    telemetry,
  }: AuditParts & { readonly store: AuditStore },
  opened: DisposalStack,
): void {
  const { name: logName, exports, exportHeader: header, exportCaFile: caFile } = audit;
  if (exports.length === 0) return;
  const options = {
    clock,
    ...(header === undefined ? {} : { header }),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }),
  };
  const exporter = opened.use(
    new AuditExporter({
      ...{ clock, log, telemetry, holder: ids.uuid(), store: store.exported },
      sinks: exports.map((target) => openSink(target, options)),
      source: { logName, version: version() },
    }),
  );
  telemetry.measure("steward_audit_export_waiting_records", async () =>
    exporter.waiting((await store.archive.checkpoint()).size),
  );
}

/** The public key of the configured log in the text form that verifiers take. */
export function auditVerifierKey(config: AuditParts["config"]): string {
  return new CheckpointSigner(config.audit.name, signingKey(config)).keyText;
}

/** The private key in the configured file; without a setting, one that is made at the first start. */
function signingKey({ audit, dataDir }: AuditParts["config"]): string {
  const { keyFile } = audit;
  const path = keyFile ?? join(dataDir, "audit.key");
  if (keyFile === undefined && !existsSync(path)) makeKey(path);
  assertPrivate(path);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError(
      "INVALID_ARGUMENT",
      `The key of the audit log cannot be read from ${path}: correct SERVICE_AUDIT_KEY_FILE or the rights of the file`,
      { cause: error },
    );
  }
}

function makeKey(path: string): void {
  const { privateKey } = generateKeyPairSync("ed25519");
  makePrivateDirectory(dirname(path));
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  // Of two processes that start together, one makes the key and the other one reads it.
  try {
    writeFileSync(path, pem, { mode: PRIVATE_FILE_MODE, flag: "wx" });
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}
