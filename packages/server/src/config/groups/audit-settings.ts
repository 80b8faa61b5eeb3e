import { parseVerifierKey, verifierKeyText, type VerifierKey } from "../../audit/tree/index.js";
import type { Witness } from "../../audit/witnesses/ports.js";
import { WITNESSES_MAX } from "../../audit/witnesses/limits.js";
import { parseExportTarget, targetName, type ExportTarget } from "../../audit-export/ports.js";
import { AUDIT_EXPORT_TARGETS_MAX } from "../../audit-export/limits.js";
import { text, type SettingType } from "../setting-types.js";
import type { Setting } from "../settings.js";

/** Settings of the audit log. */
export interface AuditSettings {
  readonly auditKeyFile: Setting<string>;
  readonly auditReplacedKey: Setting<VerifierKey>;
  readonly auditName: Setting<string>;
  readonly auditWitnesses: Setting<readonly Witness[]>;
  readonly auditExport: Setting<readonly ExportTarget[]>;
  readonly auditExportHeader: Setting<string>;
  readonly auditExportCa: Setting<string>;
}

const path = (example: string): SettingType<string> =>
  text({ shape: "a path", placeholder: "path", example, pattern: /^[^\0]+$/ });

export const AUDIT_SETTINGS: AuditSettings = {
  auditKeyFile: {
    name: "SERVICE_AUDIT_KEY_FILE",
    flag: "audit-key-file",
    type: path("/run/secrets/audit.key"),
    help:
      "PEM file of the Ed25519 key that signs the audit log, the same for all servers that share a store; unset: " +
      "audit.key in the data directory, made at the first start.",
  },
  auditReplacedKey: {
    name: "SERVICE_AUDIT_REPLACED_KEY",
    flag: "audit-replaced-key",
    type: {
      shape: "a public key as `steward audit key` prints it",
      placeholder: "key",
      example: "steward/audit+4dd489c8+ATd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c",
      parse: parseKey,
    },
    help:
      "Public key of the audit log that the present key replaces; without it, a server refuses to start on a store " +
      "whose log another key has signed.",
  },
  auditName: {
    name: "SERVICE_AUDIT_NAME",
    flag: "audit-name",
    type: {
      shape: "a name without spaces and plus signs",
      placeholder: "name",
      example: "steward.example.com/audit",
      parse: (given) => (/^[^\s+]{1,255}$/u.test(given) ? given : undefined),
    },
    default: "steward/audit",
    help: "Name of the audit log in its checkpoints; unlike that of any other log that the same auditors read.",
  },
  auditWitnesses: {
    name: "SERVICE_AUDIT_WITNESSES",
    flag: "audit-witnesses",
    type: {
      shape:
        "the verifier key of a witness, a space and its https URL, several separated by commas; http on this machine only",
      placeholder: "witnesses",
      example:
        "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c https://witness.example.com",
      parse: parseWitnesses,
    },
    help: "Witnesses (C2SP tlog-witness) that cosign the checkpoints of the audit log; unset: none.",
  },
  auditExport: {
    name: "SERVICE_AUDIT_EXPORT",
    flag: "audit-export",
    type: {
      shape:
        "file:/path, syslog+tls://host:port, https://… or json+https://…, several separated by commas; " +
        "http and syslog+tcp on this machine only",
      placeholder: "targets",
      example: "syslog+tls://siem.example.com:6514",
      parse: parseTargets,
    },
    help:
      "Where the audit log is exported to as OCSF events: files, syslog receivers (RFC 5424), collectors of JSON lines, " +
      "or with json+https of JSON arrays; unset: nowhere.",
    mask: maskTargets,
  },
  auditExportHeader: {
    name: "SERVICE_AUDIT_EXPORT_HEADER",
    type: text({
      shape: "a header, Name: value",
      placeholder: "header",
      example: "Authorization: Bearer …",
      pattern: /^[\w-]{1,64}: ?[\x21-\x7e][\x20-\x7e]{0,4095}$/,
    }),
    help: "The header with which the export authenticates itself to HTTP collectors; unset: none.",
    mask: (header) => header.replace(/:.*$/s, ": ***"),
  },
  auditExportCa: {
    name: "SERVICE_AUDIT_EXPORT_CA",
    flag: "audit-export-ca",
    type: path("./siem-ca.pem"),
    help: "PEM file of the authorities that certify the receivers of the export; unset: the public ones.",
  },
};

function parseWitnesses(given: string): readonly Witness[] | undefined {
  const witnesses = given.split(",").map((part) => parseWitness(part.trim()));
  const keys = witnesses.map((witness) => witness && verifierKeyText(witness.key));
  const isDistinct = new Set(keys).size === keys.length;
  if (!isDistinct || keys.length > WITNESSES_MAX) return undefined;
  return witnesses.every((witness) => witness !== undefined) ? witnesses : undefined;
}

function parseWitness(given: string): Witness | undefined {
  const [keyText = "", url = "", ...more] = given.split(/ +/);
  if (more.length > 0 || !URL.canParse(url)) return undefined;
  const { protocol, hostname, username, search, hash } = new URL(url);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && isLocal)) return undefined;
  if (username !== "" || search !== "" || hash !== "") return undefined;
  const key = witnessKeyOf(keyText);
  return key === undefined ? undefined : { key, url: url.replace(/\/+$/, "") };
}

function witnessKeyOf(text: string): VerifierKey | undefined {
  try {
    const key = parseVerifierKey(text);
    return key.type === "cosignature/v1" ? key : undefined;
  } catch {
    // The message of the setting says what is expected.
    return undefined;
  }
}

function parseTargets(given: string): readonly ExportTarget[] | undefined {
  const targets = given.split(",").map((part) => parseExportTarget(part.trim()));
  const names = targets.map((target) => target && targetName(target));
  const isDistinct = new Set(names).size === names.length;
  if (!isDistinct || names.length > AUDIT_EXPORT_TARGETS_MAX) return undefined;
  return targets.every((target) => target !== undefined) ? targets : undefined;
}

/** Paths and queries of URLs can hold a collector's secret. */
function maskTargets(given: string): string {
  return given.replace(/(https?:\/\/)(?:[^,@/]*@)?([^,/?#]*)[^,]*/g, "$1$2/***");
}

function parseKey(given: string): VerifierKey | undefined {
  try {
    return parseVerifierKey(given);
  } catch {
    return undefined;
  }
}
