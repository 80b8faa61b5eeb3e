import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "@steward/kernel/log.js";
import { NodeFile } from "./node-file.js";

describe("the name of a data directory's node", () => {
  const nodeId = randomUUID();
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "steward-node-"));
    path = join(dir, "data", "node.json");
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  const former = (): string | undefined => new NodeFile(path, silentLog).former();
  const write = (text: string): void => {
    new NodeFile(path, silentLog).name(nodeId);
    writeFileSync(path, text);
  };
  const named = (pid: number, host = hostname()): string =>
    JSON.stringify({ node_id: nodeId, host, pid });

  it("is nobody's in a new directory", () => {
    expect(former()).toBeUndefined();
  });

  it("tells of one that had this process's number before, as in a container", () => {
    new NodeFile(path, silentLog).name(nodeId);
    expect(former()).toBe(nodeId);
  });

  it("tells of one whose process has ended", () => {
    write(named(spawnSync(process.execPath, ["--version"]).pid));
    expect(former()).toBe(nodeId);
  });

  it.each([
    ["one whose process runs", named(process.ppid)],
    ["one of another host", named(process.pid, "another.example")],
    ["one that was cut off", named(process.pid).slice(0, 40)],
    ["something else", "null"],
    ["no process's number", named(0)],
  ])("leaves %s to the lease", (_name, text) => {
    write(text);
    expect(former()).toBeUndefined();
  });
});
