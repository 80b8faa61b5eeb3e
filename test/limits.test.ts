import { ERROR_CODES } from "@steward/protocol";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const docs = new URL("../../docs/", import.meta.url);
const page = readFileSync(new URL("limits.md", docs), "utf8");
const settings = readFileSync(new URL("settings.md", docs), "utf8");
const packages = new URL("../../packages/", import.meta.url);
/** The names and values of every limits.js of the packages. */
const declared = await declaredLimits();
const limits: ReadonlyMap<string, number> = new Map(declared);

const rows = [...page.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm)].map(([, name = "", rest = ""]) => {
  const [value = "", what = "", beyond = ""] = rest.split("|").map((cell) => cell.trim());
  return { name, value, what, beyond };
});
/** Limits that are the default of a setting, whose page has their values. */
const configured = [...page.matchAll(/^- `(\w+)`: `(\w+)`; (.*)$/gm)].map(
  ([, name = "", setting = "", beyond = ""]) => ({ name, setting, beyond }),
);
/** Limits that no caller meets: the page has their values, and limits.ts says what they limit. */
const inside = [...page.matchAll(/^Inside: (.*)$/gm)].flatMap(([, list = ""]) =>
  [...list.matchAll(/(\w+) ([^,]+)/g)].map(([, name = "", value = ""]) => ({ name, value })),
);
const shownLimits = [...rows, ...inside];

describe("the table of all limits", () => {
  it("has the limits of every limits.ts once, with their values", () => {
    expect([...shownLimits, ...configured].map(({ name }) => name).toSorted()).toEqual(
      declared.map(([name]) => name).toSorted(),
    );
    expect(shownLimits.map(({ name, value }) => `${name} ${value}`)).toEqual(
      shownLimits.map(({ name }) => `${name} ${shown(name, limits.get(name) ?? NaN)}`),
    );
  });

  it("says of each what it limits, and names only settings and codes that there are", () => {
    for (const { name, what } of rows) {
      expect([name, what]).toEqual([name, expect.stringMatching(/\w/)]);
    }
    for (const { setting } of configured) expect(settings).toContain(`| \`${setting}\` |`);
    for (const { beyond } of [...rows, ...configured]) {
      for (const [, code = ""] of beyond.matchAll(/`([A-Z_]+)`/g))
        expect(ERROR_CODES).toContain(code);
    }
    const explained = explainedLimits();
    expect(inside.filter(({ name }) => !explained.has(name))).toEqual([]);
  });

  it("has the default of a setting as the limit's value", () => {
    expect(configured.length).toBeGreaterThan(8);
    for (const { name, setting } of configured) {
      const [, given] = new RegExp(`\\| \`${setting}\` \\| \`?(\\w+)`).exec(settings) ?? [];
      // When the data source decides, the setting has no default of its own.
      if (given !== "unset") expect([setting, given]).toEqual([setting, String(limits.get(name))]);
    }
  });
});

/** A name that two rooms use appears twice. */
async function declaredLimits(): Promise<readonly (readonly [name: string, value: number])[]> {
  const files = readdirSync(packages).flatMap((name) =>
    readdirSync(new URL(`${name}/dist`, packages), { recursive: true, encoding: "utf8" }).map(
      (file) => `${name}/dist/${file}`,
    ),
  );
  const modules = files.filter((file) => /\/limits\.js$/.test(file));
  const exports = await Promise.all(
    // What a dynamic import returns has no type of its own; a limit is a number.
    modules.map(
      async (file) => (await import(new URL(file, packages).href)) as Record<string, number>,
    ),
  );
  return exports.flatMap((each) => Object.entries(each));
}

/** The constants of every limits.ts that have a comment of their own. */
function explainedLimits(): ReadonlySet<string> {
  const files = readdirSync(packages, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => /^[^/]+\/src\/(.*\/)?limits\.ts$/.test(file));
  const names = sources.flatMap((file) =>
    [...readFileSync(new URL(file, packages), "utf8").matchAll(/\*\/\nexport const (\w+)/g)].map(
      ([, name = ""]) => name,
    ),
  );
  return new Set(names);
}

/** A limit in a readable form, in the unit of its name's suffix. */
function shown(name: string, value: number): string {
  if (name.includes("MEBIBYTES")) return `${value} MiB`;
  if (name.includes("BYTES")) return inUnits(value, BYTES);
  if (name.includes("_MS")) return inUnits(value, TIMES);
  return String(value).replace(/\B(?=(\d{3})+$)/g, " ");
}

type Units = readonly (readonly [name: string, size: number, least: number])[];

const BYTES: Units = [
  ["TiB", 1024 ** 4, 1],
  ["GiB", 1024 ** 3 / 2, 2],
  ["MiB", 1024 ** 2, 1],
  ["KiB", 1024, 1],
];
const TIMES: Units = [
  ["days", 86_400_000, 2],
  ["h", 3_600_000, 1],
  ["min", 60_000, 1],
  ["s", 1000, 1],
  ["ms", 1, 1],
];

function inUnits(value: number, units: Units): string {
  const unit = units.find(([, size, least]) => value % size === 0 && value >= least * size);
  const [name, size] = unit ?? ["bytes", 1];
  // Values such as 1.5 GiB are supported too.
  return `${name === "GiB" ? value / 1024 ** 3 : value / size} ${name}`;
}
