import { expect, it } from "vitest";
import { BatchSize } from "./batch-size.js";
import { ROWS_DELETED_FIRST, ROWS_DELETED_MAX, ROWS_DELETED_MIN } from "./limits.js";

/** Runs batches of which each row takes this long. @returns the sizes of the batches. */
async function sizesOf(rowMs: number, targetMs = 3): Promise<readonly number[]> {
  let nowMs = 0;
  const size = new BatchSize(targetMs, { nowMs: () => nowMs });
  const sizes: number[] = [];
  for (let batch = 0; batch < 12; batch += 1) {
    await size.batch((limit) => {
      sizes.push(limit);
      nowMs += limit * rowMs;
      return Promise.resolve();
    });
    expect(size.restMs).toBeCloseTo(Math.min(250, Math.max(4 * limitOf(sizes) * rowMs, 5)));
  }
  return sizes;
}

function limitOf(sizes: readonly number[]): number {
  return sizes.at(-1) ?? 0;
}

it("grows while batches are short, and shrinks while they are long, within its limits", async () => {
  expect(limitOf(await sizesOf(0.05))).toBe(60);
  expect(limitOf(await sizesOf(0.001))).toBe(ROWS_DELETED_MAX);
  expect(limitOf(await sizesOf(100))).toBe(ROWS_DELETED_MIN);
  expect(limitOf(await sizesOf(100, Infinity))).toBe(ROWS_DELETED_MAX);
});

it("halves or doubles at most with one batch", async () => {
  const sizes = await sizesOf(100);
  expect(sizes.slice(0, 3)).toEqual([ROWS_DELETED_FIRST, ROWS_DELETED_FIRST / 2, ROWS_DELETED_MIN]);
});
