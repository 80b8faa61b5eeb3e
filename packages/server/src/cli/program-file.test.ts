import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BIN, runSteward } from "./testing/steward-process.js";

const packages = mkdtempSync(join(tmpdir(), "steward-program-"));
const bin = join(packages, "server/bin");
const BUNDLED = "server/dist/bundle/main.js";
const COMPILED = "server/dist/cli/main.js";
const RECORD = "kernel/dist/.tsbuildinfo";

afterEach(() => {
  rmSync(packages, { recursive: true });
});

describe("the program", () => {
  it("runs from the bundle in a checkout whose build is complete", async () => {
    build({ [COMPILED]: 10, [RECORD]: 20, [BUNDLED]: 30 });
    expect(await run()).toMatchObject({ code: 0, stdout: `${BUNDLED}\n` });
  });

  it("runs from the compiled modules when one was compiled after the bundle was made", async () => {
    build({ [COMPILED]: 10, [BUNDLED]: 30, [RECORD]: 40 });
    expect(await run()).toMatchObject({ code: 0, stdout: `${COMPILED}\n` });
  });

  it("runs from the bundle where the packages are installed, whatever the times of their files are", async () => {
    build({ [COMPILED]: 40, [BUNDLED]: 30 });
    expect(await run()).toMatchObject({ code: 0, stdout: `${BUNDLED}\n` });
  });

  it("says that it is not built yet", async () => {
    build({});
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("npm run build"),
    });
  });
});

/** Copies the door of the program, and creates files beside it that print their path, of these times in seconds. */
function build(files: Readonly<Record<string, number>>): void {
  cpSync(dirname(BIN), bin, { recursive: true });
  writeFileSync(join(packages, "package.json"), '{"type":"module"}');
  for (const [path, seconds] of Object.entries(files)) {
    const file = join(packages, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `console.log(${JSON.stringify(path)})`);
    utimesSync(file, seconds, seconds);
  }
}

function run(): ReturnType<typeof runSteward> {
  return runSteward([], { program: join(bin, "steward.js") });
}
