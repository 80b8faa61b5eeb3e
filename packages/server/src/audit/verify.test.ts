import { describe, expect, it } from "vitest";
import { seededRandom, withSeed } from "@steward/kernel/testing/seeded-random.js";
import { tilePath } from "./tree/index.js";
import { tamperTrials } from "./testing/tamper-trials.js";
import { exportOf, FilesInMemory } from "./testing/exports.js";
import { verifyExport } from "./verify.js";

describe("the verification of an export", () => {
  it("accepts the log, and every earlier state of it", async () => {
    const { files, checkpoint } = exportOf(700);
    const sizes = [0, 1, 255, 256, 257, 300, 301, 699, 700];
    const states = sizes.map((size) => ({ name: "it", checkpoint: exportOf(size).checkpoint }));
    const intact = { isIntact: true, records: 700 };
    for (const earlier of [...states.map((each) => [each]), states.toReversed()]) {
      expect(await verifyExport(files, { checkpoint, earlier })).toEqual(intact);
    }
  });

  it("finds and names a changed record, also a missing one", async () => {
    const { files, checkpoint } = exportOf(600);
    const bundle = tilePath({ level: "entries", index: 1, width: 256 });
    const changed = new FilesInMemory(files);
    changed.set(bundle, (bytes) => bytes.fill(0x20, 20, 21));
    expect(await verifyExport(changed, { checkpoint })).toMatchObject({ record: 257 });
    const cut = new FilesInMemory(files);
    cut.delete(bundle);
    expect(await verifyExport(cut, { checkpoint })).toMatchObject({ record: 256 });
  });

  it("finds a log that was written anew and signed again, by an earlier checkpoint", async () => {
    const own = { name: "the newest one", checkpoint: exportOf(100, "other").checkpoint };
    const earlier = [own, { name: "the kept checkpoint", checkpoint: exportOf(500).checkpoint }];
    const anew = exportOf(600, "other");
    const verdict = await verifyExport(anew.files, { checkpoint: anew.checkpoint, earlier });
    expect(verdict).toMatchObject({
      isIntact: false,
      problem: expect.stringMatching(
        /first 500 .* those of the kept checkpoint, .* anew/,
      ) as string,
    });
    const shorter = exportOf(400);
    expect(
      await verifyExport(shorter.files, {
        checkpoint: shorter.checkpoint,
        earlier: earlier.slice(1),
      }),
    ).toMatchObject({ record: 400 });
  });

  it("names the range when records and their hashes were changed together", async () => {
    const { files, checkpoint } = exportOf(600);
    const other = exportOf(600, "other").files;
    const forged = new FilesInMemory(files);
    for (const level of ["entries", 0] as const) {
      const path = tilePath({ level, index: 1, width: 256 });
      forged.put(path, (await other.read(path)) ?? Buffer.alloc(0));
    }
    expect(await verifyExport(forged, { checkpoint })).toMatchObject({
      record: 256,
      problem: expect.stringMatching(/One of the records 256 to 511/) as string,
    });
  });

  it("finds every change, deletion, reordering and truncation, in random trials", async () => {
    await withSeed((seed) => tamperTrials(seededRandom(seed), 300));
  });
});
