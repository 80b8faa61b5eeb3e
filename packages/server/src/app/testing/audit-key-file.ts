import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes a key of the audit log, which all servers of one store share. @returns its file. */
export function auditKeyFile(directory: string): string {
  const path = join(directory, "shared-audit.key");
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(path, pem, { mode: 0o600 });
  return path;
}
