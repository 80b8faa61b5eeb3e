import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DATA_DIRECTORY } from "../../config/index.js";
import { startSteward } from "../testing/steward-process.js";

const packages = join(import.meta.dirname, "../../../..");

/** The first column of the table in the chapter on backups. */
function documented(): readonly string[] {
  const text = readFileSync(join(packages, "../docs/operate.md"), "utf8");
  const [, table = ""] = /### What belongs to a store\n([^#]*)/.exec(text) ?? [];
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

it("the documents name everything that is in the data directory, and every server file beside it", () => {
  const beside = ["tools.yaml", "tools.pins.json"];
  expect([...documented()].sort()).toEqual([...Object.values(DATA_DIRECTORY), ...beside].sort());
});

it("a server writes nothing else to its data directory", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "steward-data-"));
  await using dev = startSteward(["dev", "--port", "0", "--json"], { cwd });
  await dev.said("stdout", /\n/);
  const known: readonly string[] = Object.values(DATA_DIRECTORY);
  // SQLite's files beside a database begin with its name.
  const others = readdirSync(join(cwd, ".steward")).filter(
    (name) => !known.some((each) => name === each || name.startsWith(`${each}-`)),
  );
  expect(others).toEqual([]);
  dev.process.kill("SIGTERM");
  await dev.ended;
  rmSync(cwd, { recursive: true });
});

it("every file of the data directory has its name in one place", () => {
  const files = readdirSync(join(packages, "server/src"), { recursive: true, encoding: "utf8" });
  const joining = files
    .filter((file) => /\.ts$/.test(file) && !/test|data-dir\.ts$/.test(file))
    .filter((file) =>
      /join\((?:\w+\.)?dataDir, ["`]/.test(
        readFileSync(join(packages, "server/src", file), "utf8"),
      ),
    );
  expect(joining).toEqual([]);
});
