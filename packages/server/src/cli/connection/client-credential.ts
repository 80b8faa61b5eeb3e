import { readFileSync } from "node:fs";
import type { Environment } from "../../config/index.js";
import { usageError } from "../cli-error.js";

/** The options that supply a credential. */
export interface CredentialOptions {
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
}

/** An API key or a token for the client; empty when none is given. */
export interface ClientCredential {
  readonly apiKey?: string;
  readonly token?: string;
}

/** Size limit of a file with a key or token, in bytes. A larger file is probably the wrong file. */
const FILE_BYTES_MAX = 64 * 1024;

/**
 * The credential from flags or the environment. A flag takes precedence over the environment, and
 * in the environment an API key over a token.
 * @throws CliError when a file cannot be read, or a credential contains invalid characters; the
 * error does not quote the credential.
 */
export function clientCredential(options: CredentialOptions, env: Environment): ClientCredential {
  const ways = [
    { source: "--api-key", value: options.apiKey },
    { source: "--api-key-file", file: options.apiKeyFile },
    { source: "STEWARD_API_KEY", value: env["STEWARD_API_KEY"] },
    { source: "STEWARD_API_KEY_FILE", file: env["STEWARD_API_KEY_FILE"] },
    { source: "STEWARD_TOKEN", value: env["STEWARD_TOKEN"], isToken: true },
  ];
  const given = ways.find(({ value, file }) => isSet(value) || isSet(file));
  if (given === undefined) return {};
  const { source, value, file = "", isToken = false } = given;
  const text = (value ?? contentOf(file, source)).trim();
  if (!CREDENTIAL.test(text)) {
    throw usageError(
      `${source} holds no API key or token`,
      "give the whole text, and nothing else",
    );
  }
  return isToken ? { token: text } : { apiKey: text };
}

/** The characters of a bearer credential (RFC 6750 §2.1). */
const CREDENTIAL = /^[A-Za-z0-9._~+/=-]{1,16384}$/;

function isSet(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "";
}

function contentOf(file: string, source: string): string {
  try {
    const content = readFileSync(file);
    return content.byteLength > FILE_BYTES_MAX ? "" : content.toString("utf8");
  } catch {
    throw usageError(`${source}: the file ${file} cannot be read`, "name a file that you may read");
  }
}
