import { parseVerifierKey, verifierKeyText, type VerifierKey } from "../audit/tree/index.js";
import type { Witness } from "../audit/witnesses/ports.js";
import { WITNESSES_MAX } from "../audit/witnesses/limits.js";
import { parseExportTarget, targetName, type ExportTarget } from "../audit-export/ports.js";
import { AUDIT_EXPORT_TARGETS_MAX } from "../audit-export/limits.js";
import { setting, type SettingType } from "./setting.js";
import { distinctParts, isTrustedUrl, path, readableFile, text } from "./setting-types.js";

const publicKey: SettingType<VerifierKey> = {
  shape: "a public key as `steward audit key` prints it",
  placeholder: "key",
  example: "steward/audit+4dd489c8+ATd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c",
  parse: keyOf,
};

const witnesses: SettingType<readonly Witness[]> = {
  shape:
    "the verifier key of a witness, a space and its https URL, several separated by commas; http on this machine only",
  placeholder: "witnesses",
  example: "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c https://witness.example.com",
  parse: (value) =>
    distinctParts(value, WITNESSES_MAX, parseWitness, ({ key }) => verifierKeyText(key)),
};

const exportTargets: SettingType<readonly ExportTarget[]> = {
  shape:
    "file:/path, syslog+tls://host:port, https://… or json+https://…, several separated by commas; " +
    "http and syslog+tcp on this machine only",
  placeholder: "targets",
  example: "syslog+tls://siem.example.com:6514",
  parse: (value) => distinctParts(value, AUDIT_EXPORT_TARGETS_MAX, parseExportTarget, targetName),
  // Paths and queries of URLs can hold a collector's secret.
  mask: (value) => value.replace(/(https?:\/\/)(?:[^,@/]*@)?([^,/?#]*)[^,]*/g, "$1$2/***"),
};

const header: SettingType<string> = {
  ...text(/^[\w-]{1,64}: ?[\x21-\x7e][\x20-\x7e]{0,4095}$/, {
    shape: "a header, Name: value",
    placeholder: "header",
  }),
  mask: (value) => value.replace(/:.*$/s, ": ***"),
};

/** The signature of the audit log (Decision §23), and its export. */
export const AUDIT_SETTINGS = {
  keyFile: setting("SERVICE_AUDIT_KEY_FILE", path, {
    example: "/run/secrets/audit.key",
    help:
      "PEM file of the Ed25519 key that signs the audit log, the same for all servers that share a store; unset: " +
      "audit.key in the data directory, made at the first start.",
  }),
  replacedKey: setting("SERVICE_AUDIT_REPLACED_KEY", publicKey, {
    help:
      "Public key of the audit log that the present key replaces; without it, a server refuses to start on a store " +
      "whose log another key has signed.",
  }),
  name: setting(
    "SERVICE_AUDIT_NAME",
    text(/^[^\s+]{1,255}$/u, {
      shape: "a name without spaces and plus signs",
      placeholder: "name",
    }),
    {
      default: "steward/audit",
      example: "steward.example.com/audit",
      help: "Name of the audit log in its checkpoints; unlike that of any other log that the same auditors read.",
    },
  ),
  witnesses: setting("SERVICE_AUDIT_WITNESSES", witnesses, {
    whenUnset: [],
    help: "Witnesses (C2SP tlog-witness) that cosign the checkpoints of the audit log; unset: none.",
  }),
  exports: setting("SERVICE_AUDIT_EXPORT", exportTargets, {
    whenUnset: [],
    help:
      "Where the audit log is exported to as OCSF events: files, syslog receivers (RFC 5424), collectors of JSON lines, " +
      "or with json+https of JSON arrays; unset: nowhere.",
  }),
  exportHeader: setting("SERVICE_AUDIT_EXPORT_HEADER", header, {
    secret: true,
    example: "Authorization: Bearer …",
    help: "The header with which the export authenticates itself to HTTP collectors; unset: none.",
  }),
  exportCaFile: setting("SERVICE_AUDIT_EXPORT_CA", readableFile, {
    example: "./siem-ca.pem",
    help: "PEM file of the authorities that certify the receivers of the export; unset: the public ones.",
  }),
};

function parseWitness(given: string): Witness | undefined {
  const [keyText = "", url = "", ...more] = given.split(/ +/);
  if (more.length > 0 || !isTrustedUrl(url) || /[?#]/.test(url)) return undefined;
  const key = keyOf(keyText);
  return key?.type === "cosignature/v1" ? { key, url: url.replace(/\/+$/, "") } : undefined;
}

function keyOf(given: string): VerifierKey | undefined {
  try {
    return parseVerifierKey(given);
  } catch {
    // The message of the setting says what is expected.
    return undefined;
  }
}
