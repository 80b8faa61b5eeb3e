import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StatementError } from "../../plans/ports.js";
import { ODD_ANSWERS } from "../testing/odd-answers.js";
import { Shop } from "./testing/shop.js";

/** Where a SQLite file counts its changes (file format, §1.3.7): another count has the pages read anew. */
const CHANGE_COUNTER_OFFSET = 24;

describe("a SQLite file that is damaged", () => {
  // The file is overwritten in place between two statements, so that one process reads all the images.
  it("fails the step or is read, each of 200 times, and never ends the server", async () => {
    await using shop = new Shop("delete");
    const good = readFileSync(shop.path);
    const place = fc.tuple(
      fc.oneof(fc.nat(150), fc.nat(good.length - 1)),
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
    );
    const images = fc.sample(fc.array(place, { minLength: 1, maxLength: 6 }), {
      numRuns: ODD_ANSWERS,
      seed: 5,
    });
    for (const [index, damage] of images.entries()) {
      const bytes = Buffer.from(good);
      bytes.writeUInt32BE(1000 + index, CHANGE_COUNTER_OFFSET);
      for (const [offset, odd] of damage) bytes.set(odd.subarray(0, good.length - offset), offset);
      writeFileSync(shop.path, bytes);
      const result: unknown = await shop
        .run("SELECT id, name FROM users ORDER BY name")
        .catch((thrown: unknown) => thrown);
      const isTold = result instanceof StatementError || !(result instanceof Error);
      expect(isTold, `${String(index)}: ${JSON.stringify(damage)} ${String(result)}`).toBe(true);
    }
    writeFileSync(shop.path, good);
    expect(await shop.run("SELECT count(*) AS n FROM users")).toMatchObject({
      outputJson: '[{"n":2}]',
    });
  });
});
