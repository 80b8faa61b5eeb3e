import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TemporaryDirectory } from "./temporary-directory.js";

it("removes what processes left behind that are gone, leaves those of the living alone, and itself at the end", () => {
  const parent = mkdtempSync(join(tmpdir(), "temporary-"));
  // No process has such an id; ours is that of a process that ended before, as in a container.
  for (const name of ["99999999", String(process.pid), String(process.ppid)]) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, "etilqs_left"), "x");
  }
  const directory = new TemporaryDirectory(parent);
  expect(readdirSync(parent).sort()).toEqual([process.pid, process.ppid].map(String).sort());
  expect(readdirSync(directory.path)).toEqual([]);
  expect(readdirSync(join(parent, String(process.ppid)))).toEqual(["etilqs_left"]);
  directory[Symbol.dispose]();
  expect(existsSync(directory.path)).toBe(false);
  rmSync(parent, { recursive: true });
});
