import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  identify,
  readDefinitions,
  renameHints,
  rootOf,
  scriptBetween,
  scriptFor,
} from "../index.js";
import { SqliteScratch } from "./scratch-sqlite.js";

const DATA = process.env["STEWARD_CHECK_DATA"];

interface Case {
  readonly current?: string;
  readonly desired?: string;
}

// Cases of another migration tool; the resulting schema is compared and not the statements.
describe.skipIf(DATA === undefined)("migration cases of sqldef for SQLite", () => {
  it("reach the wanted schema from the current one, and come back", async () => {
    const cases = readCases(join(DATA ?? "", "sqldef/sqlite3def"));
    const failures = [];
    for (const [name, each] of cases) {
      const failure = await failureOf(each).catch((error: unknown) => String(error));
      if (failure !== undefined) failures.push(`${name}: ${failure}`);
    }
    process.stdout.write(
      `sqldef for SQLite: ${cases.length - failures.length} of ${cases.length}\n`,
    );
    expect(failures).toEqual([]);
  });
});

if (DATA === undefined) {
  process.stdout.write("sqldef for SQLite: skipped, STEWARD_CHECK_DATA is not set\n");
}

function readCases(directory: string): readonly (readonly [string, Case])[] {
  const files = readdirSync(directory).filter((file) => file.startsWith("tests"));
  return files.flatMap((file) =>
    Object.entries(parse(readFileSync(join(directory, file), "utf8")) as Record<string, Case>),
  );
}

async function failureOf({ current = "", desired = "" }: Case): Promise<string | undefined> {
  await using database = new SqliteScratch();
  await using wanted = new SqliteScratch();
  await database.define(await readDefinitions(current, "sqlite"));
  await wanted.define(await readDefinitions(desired, "sqlite"));
  const base = identify(await database.introspect(), undefined);
  const drafted = await wanted.introspect();
  const target = identify(drafted, base, renameHints(desired, "sqlite"));

  await database.run(scriptBetween(base, target));
  const up = await database.introspect();
  if (rootOf(identify(up, target)) !== rootOf(target)) return "up misses the wanted schema";
  // The two databases must also be equal without information from the schema before.
  if (rootOf(identify(up, undefined)) !== rootOf(identify(drafted, undefined))) return "up differs";
  await database.run(scriptBetween(target, base));
  const down = rootOf(identify(await database.introspect(), base));
  if (down !== rootOf(base)) return "down misses the current schema";

  await using copy = new SqliteScratch();
  await copy.run(scriptFor(target));
  const copied = rootOf(identify(await copy.introspect(), target));
  return copied === rootOf(target) ? undefined : "the copy differs";
}
