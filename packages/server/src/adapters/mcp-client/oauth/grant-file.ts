import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "@steward/kernel/clock.js";
import * as z from "zod";
import { AccessRefused } from "./access-refused.js";

/** What an authorization server gave for one MCP server. Secret. */
export interface Grant {
  /** The MCP server that the grant is for; its tokens are sent to no other server. */
  readonly url: string;
  readonly issuer: string;
  /** The resource indicator of the request for the grant (RFC 8707). */
  readonly resource?: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  readonly accessToken?: string;
  /** Ms since the epoch; absent: unknown. */
  readonly expiresAtMs?: number;
  readonly refreshToken?: string;
  /**
   * Digest of the refresh token in the tools file from which the grant was obtained; absent: a
   * person signed in.
   */
  readonly seed?: string;
}

/** Where grants are, and the clock by which they expire. */
export interface Grants {
  readonly file: GrantFile;
  readonly clock: Clock;
}

const grantSchema: z.ZodType<Grant> = z.strictObject({
  url: z.string(),
  issuer: z.string(),
  resource: z.string().exactOptional(),
  clientId: z.string(),
  clientSecret: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  accessToken: z.string().exactOptional(),
  expiresAtMs: z.number().exactOptional(),
  refreshToken: z.string().exactOptional(),
  seed: z.string().exactOptional(),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(z.string(), grantSchema),
});

/**
 * The private file with the grants, by the names of the MCP servers. It is read at each use, because
 * another process may have renewed a grant, or a person signed in.
 */
export class GrantFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The grant for a server; `undefined` without one, or when it was given for another address.
   * @throws AccessRefused when the file cannot be used.
   */
  find(server: string, url: string): Grant | undefined {
    const grant = this.#servers()[server];
    return grant?.url === url ? grant : undefined;
  }

  /** Replaces the grant of one server. The file is replaced as a whole. */
  save(server: string, grant: Grant): void {
    const servers = { ...this.#servers(), [server]: grant };
    const temporary = `${this.#path}.${String(process.pid)}.new`;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify({ version: 1, servers }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    // Writing to a file that a crash left behind would keep that file's mode.
    chmodSync(temporary, 0o600);
    renameSync(temporary, this.#path);
  }

  #servers(): Readonly<Record<string, Grant>> {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) return {};
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
      throw this.#unusable("can be read by other users of this machine");
    }
    try {
      return fileSchema.parse(JSON.parse(readFileSync(this.#path, "utf8"))).servers;
    } catch {
      // The cause is left out, because it may repeat a token.
      throw this.#unusable("is not a file of grants");
    }
  }

  #unusable(reason: string): AccessRefused {
    return new AccessRefused(
      `the file ${this.#path} ${reason}: delete it, and sign in with \`steward tools login\``,
    );
  }
}
