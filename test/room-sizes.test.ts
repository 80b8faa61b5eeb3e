import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

/**
 * Proves that the script which guards the sizes of rooms and ports finds each one that is too large, in a small tree
 * that has one of each kind on both sides of the limit.
 */
const SCRIPT = fileURLToPath(new URL("../../scripts/check-rooms.js", import.meta.url));
const tree = mkdtempSync(join(tmpdir(), "steward-room-sizes-"));
afterAll(() => rmSync(tree, { recursive: true }));

describe("the wall of sizes", () => {
  it("names the folders with more than 20 source files, counting neither tests nor what only tests use", () => {
    fill("packages/server/src/plans", 21);
    fill("packages/server/src/usage", 20);
    write("packages/server/src/usage/extra.test.ts", "");
    write("packages/server/src/usage/extra.d.ts", "");
    fill("packages/server/src/usage/testing", 30);
    fill("packages/protocol/src/gen", 30);
    fill("bench/plans", 22);
    expect(problems()).toEqual([
      "bench/plans has 22 source files, more than 20: move the files of one concern into a folder of their own.",
      "packages/server/src/plans has 21 source files, more than 20: move the files of one concern into a folder of their own.",
    ]);
  });

  it("names the ports with more than six methods, also when they inherit some", () => {
    write(
      "packages/server/src/usage/ports.ts",
      `export interface Small { a(): void; b: () => void; c(): void; d(): void; e(): void; f(): void; readonly data: string }
       export interface Large extends Small { g(): void }`,
    );
    write(
      "packages/client/src/operations.ts",
      "export interface Operations { a(): void; b(): void; c(): void; d(): void; e(): void; f(): void; g(): void }",
    );
    expect(problems().filter((problem) => problem.includes("methods"))).toEqual([
      "Large in packages/server/src/usage/ports.ts has 7 methods, more than 6: divide the port by who uses it, so that each user takes only what it needs.",
    ]);
  });
});

function problems(): readonly string[] {
  const { stderr } = spawnSync(process.execPath, [SCRIPT, tree], { encoding: "utf8" });
  return stderr.split("\n").filter(Boolean).toSorted();
}

function fill(folder: string, count: number): void {
  for (let n = 0; n < count; n += 1) write(`${folder}/file-${String(n)}.ts`, "export {};\n");
}

function write(file: string, text: string): void {
  const path = join(tree, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
