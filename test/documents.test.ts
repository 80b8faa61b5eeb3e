import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** The documents and the code refer to each other; these tests check every reference. */
const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the documents", () => {
  it("link to files that are there", () => {
    const broken = filesUnder(".", /\.md$/).flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(root, dirname(file), target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("show settings of MCP clients that are valid JSON and lead to /mcp or steward mcp", () => {
    const shown = [...read("docs/mcp.md").matchAll(/```json\n(.*?)```/gs)].map(
      ([, json = ""]) => JSON.parse(json) as { readonly mcpServers: object },
    );
    expect(shown.map(({ mcpServers }) => JSON.stringify(mcpServers))).toEqual([
      expect.stringContaining('"url":"http://127.0.0.1:8080/mcp"'),
      expect.stringContaining('packages/server/bin/steward.js","mcp"]'),
    ]);
  });

  it("name source files that are there in the recipes for contributors", () => {
    const recipes = read("docs/contribute-recipes.md");
    const named = [
      ...recipes.matchAll(/`((?:packages|test|docs)\/[^`]*\.(?:ts|proto|md|cedarschema))`/g),
    ].map(([, file = ""]) => file);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("name source files that are there on the way of one request", () => {
    const named = [...read("docs/one-request.md").matchAll(/`([\w-]+(?:\/[\w-]+)+\.ts)`/g)];
    const files = named.map(([, file = ""]) => `packages/server/src/${file}`);
    expect(files.length).toBeGreaterThan(25);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("name source files that are there to read first", () => {
    const [, rooms = ""] = read("ARCHITECTURE.md").split("## packages/server/src\n");
    const rows = [...rooms.matchAll(/^\| `([\w-]+\/)` \|.*?\| (.*) \|$/gm)];
    const files = rows.flatMap(([, room = "", list = ""]) =>
      [...list.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = ""]) => `${room}${file}`),
    );
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !existsSync(join(root, "packages/server/src", file)))).toEqual(
      [],
    );
  });

  it("hold every section of the contract and every decision that the code cites", () => {
    const known = new Set([...contractSections(), ...decisionSections()]);
    const unknown = sources().flatMap((file) =>
      [...read(file).matchAll(/\b(Contract|Decision)s? (§[\d.]*\d(?:,? (?:and )?§[\d.]*\d)*)/g)]
        .flatMap(([, document, list = ""]) =>
          [...list.matchAll(/§([\d.]*\d)/g)].map(([, section]) => `${document} §${section}`),
        )
        .filter((citation) => !known.has(citation))
        .map((citation) => `${file}: ${citation}`),
    );
    expect(unknown).toEqual([]);
  });

  it("say of every direct dependency what it is for, and of no other", () => {
    const said = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)` /gm)].map(
      ([, name]) => name,
    );
    const workspaces = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
    const named = [".", "examples", ...workspaces].flatMap((directory) =>
      dependenciesOf(directory),
    );
    const foreign = named.filter((name) => !name.startsWith("@steward/"));
    expect(said.toSorted()).toEqual([...new Set(foreign)].sort());
  });
});

/** `Contract §2.4` and the like: one for each numbered heading. */
function contractSections(): readonly string[] {
  const headings = read("docs/contract.md").matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm);
  return [...headings].map(([, section]) => `Contract §${section}`);
}

/** `Decision §3` and the like: one for each row of the table of pages. */
function decisionSections(): readonly string[] {
  const rows = read("docs/decisions/README.md").matchAll(/^\| (\d+) +\| \[\d{4} /gm);
  return [...rows].map(([, section]) => `Decision §${section}`);
}

function dependenciesOf(directory: string): readonly string[] {
  const manifest = JSON.parse(read(join(directory, "package.json")));
  return ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"].flatMap(
    (kind) => Object.keys(manifest[kind] ?? {}),
  );
}

function sources(): readonly string[] {
  return ["packages", "test", "bench", "docs"].flatMap((directory) =>
    filesUnder(directory, /\.(ts|tsx|proto|sql|md)$/),
  );
}

/** Files of the project, as paths from the root. */
function filesUnder(directory: string, name: RegExp): readonly string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : filesUnder(path, name);
    return name.test(entry.name) ? [path] : [];
  });
}

const FOREIGN = new Set(["node_modules", "dist", ".git", ".steward", "coverage"]);

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
