import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Debian's package `protobuf-compiler`; without it these tests are skipped. */
const hasProtoc = spawnSync("protoc", ["--version"]).status === 0;
const whySkipped = hasProtoc ? "" : " (skipped: this machine has no protoc)";

const PROTO = fileURLToPath(new URL("../proto", import.meta.url));
const FILES = readdirSync(join(PROTO, "controlplane/v1")).map((name) => `controlplane/v1/${name}`);

describe("the .proto files", () => {
  it("are plain proto3: no field is optional, which compilers refuse before 3.15", () => {
    const optional = FILES.flatMap(
      (file) => readFileSync(join(PROTO, file), "utf8").match(/^\s*optional .*/gm) ?? [],
    );
    expect(optional).toEqual([]);
  });
});

describe.skipIf(!hasProtoc)(`protoc${whySkipped}`, () => {
  it.each(FILES)("compiles %s for a generator that knows proto3 as it began", (file) => {
    const dir = mkdtempSync(join(tmpdir(), "steward-protoc-"));
    // An empty answer of the generator means that it supports no optional features.
    const generator = join(dir, "generator");
    writeFileSync(generator, "#!/bin/sh\ncat > /dev/null\n", { mode: 0o755 });
    const flags = [`--plugin=protoc-gen-plain=${generator}`, `--plain_out=${dir}`];
    execFileSync("protoc", ["-I", PROTO, ...flags, file], { stdio: "pipe" });
    rmSync(dir, { recursive: true });
  });
});
