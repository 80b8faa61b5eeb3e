import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentTelemetry } from "../../kernel/telemetry.js";
import { CAN_MOUNT, mountSmallDisk } from "../../testing/small-disk.js";
import type { WriteUnit } from "./commit-protocol.js";
import { CommitWriter } from "./commit-writer.js";
import { openConnection } from "./connection.js";

const whySkipped = CAN_MOUNT ? "" : " (skipped: this user may not mount a disk)";

function rows(count: number): WriteUnit {
  const write = { sql: "INSERT INTO t VALUES (zeroblob(200))", params: [] };
  return Array.from({ length: count }, () => write);
}

describe.skipIf(!CAN_MOUNT)(`the writer of a store on a full disk${whySkipped}`, () => {
  it("outlives a checkpoint that does not fit, and says of a commit why it failed", async () => {
    using disk = mountSmallDisk(16);
    const path = join(disk.directory, "store.db");
    const db = openConnection(path, false);
    db.exec("CREATE TABLE t (filler BLOB)");
    await using writer = new CommitWriter(path, silentTelemetry);
    // More than 4000 rows cause a checkpoint. After it, the log has room for as many rows again,
    // but the next checkpoint must enlarge the file.
    await writer.commit(rows(6000));
    await writer.probe();
    disk.fill();
    await writer.commit(rows(5000));
    const full = `The store cannot be written to now: the disk is full: free space in ${disk.directory}`;
    await expect(writer.commit(rows(10_000))).rejects.toThrow(full);
    expect(writer.isFailing).toBe(true);
    disk.free();
    await writer.commit(rows(5000));
    expect(writer.isFailing).toBe(false);
    expect(db.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 16_000 });
    db.close();
  });
});
