import { fail, ok, reasonOf } from "../../app/start-checks/index.js";
import type { Finding } from "../../app/start-checks/index.js";

/** The oldest supported version of Node, as in package.json. */
const NODE_MIN: readonly [number, number] = [20, 19];

/** Checks the version of Node. */
export function checkNode(): Finding {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [majorMin, minorMin] = NODE_MIN;
  const enough = major > majorMin || (major === majorMin && minor >= minorMin);
  if (enough) return ok("node", `v${version}`);
  return fail("node", `v${version} is too old`, `install Node ${NODE_MIN.join(".")} or newer`);
}

/** Checks that this platform's prebuilt SQLite can be loaded. */
export async function checkSqlite(): Promise<Finding> {
  try {
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const db = new DatabaseSync(":memory:");
    // The query returns one row with one column.
    const row = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
    db.close();
    return ok("sqlite", `SQLite ${row.version}`);
  } catch (error) {
    const found = `the native module does not load: ${reasonOf(error)}`;
    return fail("sqlite", found, "run `npm ci` again on this machine, with this Node");
  }
}
