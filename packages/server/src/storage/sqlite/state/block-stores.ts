import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assert } from "@steward/kernel/assert.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { BlockStore, BlockStores } from "@steward/state/ports";
import { storeUnavailable } from "../../failure-reason.js";
import { makePrivateDirectory } from "../../private-files.js";
import { number } from "../column-values.js";
import { openConnection, type SqliteRow } from "../connection.js";
import { openSqliteBlockStore } from "./block-store.js";

const ORG_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EXTENSION = ".db";

/** The stores of all organizations: one file each, in one directory. */
export class SqliteBlockStores implements BlockStores {
  readonly #directory: string;
  readonly #clock: Clock;

  /** @param directory created when the first organization stores something. */
  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  open(orgId: string, create: boolean): BlockStore | undefined {
    const path = stateFile(this.#directory, orgId);
    if (!create && !existsSync(path)) return undefined;
    try {
      makePrivateDirectory(this.#directory);
    } catch (error) {
      const what = `The directory ${this.#directory} of the state cannot be made`;
      throw storeUnavailable(what, error, path);
    }
    return openSqliteBlockStore(path, this.#clock);
  }

  discard(orgId: string): boolean {
    const path = stateFile(this.#directory, orgId);
    if (!existsSync(path)) return false;
    try {
      for (const end of ["-wal", "-shm", ""]) rmSync(`${path}${end}`, { force: true });
    } catch (error) {
      throw storeUnavailable(`The state ${path} cannot be deleted`, error, path);
    }
    return true;
  }

  organizations(): readonly string[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith(EXTENSION))
      .map((name) => name.slice(0, -EXTENSION.length))
      .filter((name) => ORG_ID.test(name));
  }
}

/** Bytes of the pages that an organization's state uses; 0 when it has none. */
export function stateBytes(directory: string, orgId: string): number {
  const path = stateFile(directory, orgId);
  if (!existsSync(path)) return 0;
  using db = openConnection(path, true);
  const sql = `SELECT (c.page_count - f.freelist_count) * s.page_size AS bytes
    FROM pragma_page_count AS c, pragma_freelist_count AS f, pragma_page_size AS s`;
  const row = db.prepare(sql).get() as SqliteRow | undefined;
  return number(row?.["bytes"]);
}

/**
 * The file of an organization's state. @param kind distinguishes it from other files of the
 * organization.
 */
export function stateFile(directory: string, orgId: string, kind = ""): string {
  assert(ORG_ID.test(orgId), "an organization's id is a UUID");
  return join(directory, `${orgId}${kind}${EXTENSION}`);
}
