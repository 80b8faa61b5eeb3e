import type { Principal, VerifyCertificate } from "../../identity/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Log } from "@steward/kernel/log.js";
import { namesOf } from "./certificate-names.js";
import { readClientsFile } from "./clients-file.js";

export interface KnownClientsOptions {
  /** YAML file that maps certificates to callers. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The clients registered in a file. */
export class KnownClients {
  readonly #options: KnownClientsOptions;
  #principals: ReadonlyMap<string, Principal>;

  /** @throws AppError `INVALID_ARGUMENT` when the file cannot be read or is invalid. */
  constructor(options: KnownClientsOptions) {
    this.#options = options;
    this.#principals = readClientsFile(options.file);
  }

  readonly verify: VerifyCertificate = (certificate) => {
    // A connection may outlive its client certificate.
    if (this.#options.clock.nowMs() > Date.parse(certificate.validTo)) {
      throw refused("has expired; open a new connection with a current one");
    }
    const names = namesOf(certificate);
    const found = names.filter((name) => this.#principals.has(name));
    if (found.length > 1) {
      throw refused(
        `matches several entries of the file of known clients, by its names: ${found.join(" and ")}`,
      );
    }
    const principal = this.#principals.get(found[0] ?? "");
    if (principal !== undefined) return principal;
    throw refused(`is not listed in the file of known clients; its names are ${listed(names)}`);
  };

  /** Reloads the file. An invalid file is logged and changes nothing. */
  reload(): void {
    const { file, log } = this.#options;
    try {
      this.#principals = readClientsFile(file);
      log.info({ file }, "known clients reloaded");
    } catch (err) {
      log.error({ err, file }, "known clients not usable; the previous ones stay in force");
    }
  }
}

/** Limit of names shown in an error. */
const NAMES_SHOWN_MAX = 5;

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.slice(0, NAMES_SHOWN_MAX).join(", ");
}

function refused(reason: string): AppError {
  return new AppError("UNAUTHENTICATED", `The client certificate ${reason}`);
}
