import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { AppError } from "@steward/kernel/errors.js";
import { type Config, type Setting, SETTINGS } from "../config/index.js";
import { TLS_FILES_CHECK_MS } from "./limits.js";
import type { Log } from "@steward/kernel/log.js";
import type { TlsIdentity } from "../transport/one-port/port.js";

type TlsFiles = NonNullable<Config["tls"]>;

/** Dependencies of certificate renewal. */
interface RenewalParts {
  readonly files: TlsFiles;
  readonly log: Log;
  /** Uses a certificate for new connections. @throws when key and certificate do not match. */
  readonly use: (identity: TlsIdentity) => void;
  /** Interval for checking the files, in ms. */
  readonly checkMs?: number;
}

/**
 * Reads the certificate and key files.
 * @throws AppError `INVALID_ARGUMENT` that names the setting, the file and OpenSSL's reason.
 */
export function readTls({ certFile, keyFile, clientCaFile }: TlsFiles): TlsIdentity {
  const cert = pemIn(certFile, SETTINGS.tls.certFile, (pem) => new X509Certificate(pem));
  const key = pemIn(keyFile, SETTINGS.tls.keyFile, (pem) => createPrivateKey(pem));
  const clientCa =
    clientCaFile &&
    pemIn(clientCaFile, SETTINGS.tls.clientCaFile, (pem) => new X509Certificate(pem));
  if (!cert.parsed.checkPrivateKey(key.parsed)) {
    throw unusable(
      SETTINGS.tls.keyFile,
      keyFile,
      `it does not belong to the certificate ${certFile}`,
    );
  }
  return { cert: cert.pem, key: key.pem, ...(clientCa ? { clientCa: clientCa.pem } : {}) };
}

function pemIn<Parsed>(
  file: string,
  setting: Setting<unknown>,
  parse: (pem: Buffer) => Parsed,
): { readonly pem: Buffer; readonly parsed: Parsed } {
  try {
    const pem = readFileSync(file);
    return { pem, parsed: parse(pem) };
  } catch (cause) {
    throw unusable(setting, file, cause instanceof Error ? cause.message : String(cause));
  }
}

function unusable({ name, help }: Setting<unknown>, file: string, reason: string): AppError {
  const message = `${name}: ${file} cannot be used: ${reason}; it has to be the ${help}`;
  return new AppError("INVALID_ARGUMENT", message);
}

/**
 * Reloads the certificate when one of its files changes, or on request. Invalid files change
 * nothing: the server keeps the working certificate and logs the problem.
 */
export class TlsRenewal implements Disposable {
  readonly #parts: RenewalParts;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
    // Polled rather than watched, because platforms such as Kubernetes replace the files through
    // symbolic links.
    const options = { interval: parts.checkMs ?? TLS_FILES_CHECK_MS, persistent: false };
    for (const file of watched(parts.files)) watchFile(file, options, this.#changed);
  }

  /** Reads the files now. */
  renew(): void {
    const { files, log, use } = this.#parts;
    try {
      use(readTls(files));
      log.info({ certFile: files.certFile }, "TLS certificate reloaded");
    } catch (err) {
      // Files that are replaced one after the other do not match for a moment.
      log.error(
        { err, certFile: files.certFile },
        "TLS certificate not usable; the previous one stays in use",
      );
    }
  }

  [Symbol.dispose](): void {
    for (const file of watched(this.#parts.files)) unwatchFile(file, this.#changed);
  }

  readonly #changed = (): void => {
    this.renew();
  };
}

function watched({ certFile, keyFile, clientCaFile }: TlsFiles): readonly string[] {
  return [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])];
}
