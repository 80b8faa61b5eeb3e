import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SOURCE_MAPS = new URL("../../bin/source-maps.js", import.meta.url).href;

// Each test loads a module that fails in its second line, in a process of its own.
describe("stack traces of the program", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "steward-stack-"));
    await writeFile(
      join(folder, "bundled.js"),
      `export function fail() {\n  throw new TypeError("no");\n}\n`,
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  const stack = async (): Promise<readonly string[]> => {
    const script = `import { nameSources } from ${JSON.stringify(SOURCE_MAPS)};
      nameSources(${JSON.stringify(`${pathToFileURL(folder).href}/`)});
      const { fail } = await import(${JSON.stringify(pathToFileURL(join(folder, "bundled.js")).href)});
      try { fail(); } catch (error) { process.stdout.write(error.stack); }`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout.split("\n").slice(0, 2);
  };

  it("name the line of the source", async () => {
    // The second line of the bundle is the 41st of the source.
    const map = { version: 3, sources: ["../src/room.ts"], names: [], mappings: ";AAwCA" };
    await writeFile(join(folder, "bundled.js.map"), JSON.stringify(map));
    const source = join(folder, "../src/room.ts");
    expect(await stack()).toEqual(["TypeError: no", `    at fail (${source}:41:1)`]);
  });

  it.each(["", "{", "{}"])("name the bundle when the map is %j", async (map) => {
    if (map !== "") await writeFile(join(folder, "bundled.js.map"), map);
    const file = pathToFileURL(join(folder, "bundled.js")).href;
    expect(await stack()).toEqual(["TypeError: no", `    at fail (${file}:2:9)`]);
  });
});
