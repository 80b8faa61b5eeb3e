import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAN_MOUNT, mountSmallDisk } from "../testing/small-disk.js";
import { DirectoryProbe } from "./directory-probe.js";

const whySkipped = CAN_MOUNT ? "" : " (skipped: this user may not mount a disk)";

describe.skipIf(!CAN_MOUNT)(`a probe of a directory${whySkipped}`, () => {
  it("finds out that its disk is full without any other write, and asks it now and then only", async () => {
    using disk = mountSmallDisk(1);
    let nowMs = 0;
    const probe = new DirectoryProbe(disk.directory, { nowMs: () => nowMs });
    await probe.recently();
    disk.fill();
    await probe.recently();
    nowMs = 10_000;
    const full = `the disk is full: free space in ${disk.directory}`;
    await expect(probe.recently()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(probe.recently()).rejects.toThrow(full);
    disk.free();
    await expect(probe.recently()).rejects.toThrow(full);
    await probe.now();
    nowMs = 20_000;
    await probe.recently();
  });

  it("takes a directory that is not there yet for a good one", async () => {
    using disk = mountSmallDisk(1);
    await new DirectoryProbe(join(disk.directory, "later"), { nowMs: () => 0 }).now();
  });
});
