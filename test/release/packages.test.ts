import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { afterAll, describe, expect, it } from "vitest";
import { firstPlan } from "./first-plan.js";
import { release, ROOT } from "./packed.js";

const folder = mkdtempSync(join(tmpdir(), "steward-release-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
release(folder);

/** Files that each package may have at most. Look at what was added before you raise a number. */
const FILES_MAX: Readonly<Record<string, number>> = {
  client: 70,
  console: 160,
  kernel: 75,
  operations: 320,
  postgres: 20,
  protocol: 65,
  schema: 400,
  server: 345,
  state: 300,
};
/** Packages that npm installs with the server, itself included. */
const INSTALLED_MAX = 12;
/** Of the packed server: what one waits for before the first start. */
const SERVER_BYTES_MAX = 14_000_000;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const names = Object.keys(FILES_MAX);

describe("the published packages", () => {
  it("are these, with no more files than what is for their users", () => {
    const counts = Object.fromEntries(names.map((name) => [name, filesOf(name).length]));
    const packed = readdirSync(folder).filter((name) => existsSync(join(folder, name, "LICENSE")));
    expect(packed.toSorted()).toEqual(names);
    expect(names.filter((name) => (counts[name] ?? 0) > (FILES_MAX[name] ?? 0))).toEqual([]);
    expect(readFileSync(tarballOf("server")).length).toBeLessThan(SERVER_BYTES_MAX);
  });

  it.each(names)("%s says what it is, and has a licence and a README", (name) => {
    expect(filesOf(name)).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
    const manifest = manifestOf(name);
    expect(manifest).toMatchObject({
      ...{ license: "Apache-2.0", engines: { node: ">=20.19" }, type: "module" },
      description: expect.any(String) as string,
      keywords: expect.arrayContaining([expect.any(String)]) as string[],
      exports: expect.any(Object) as object,
    });
    expect(manifest).toHaveProperty("sideEffects");
    expect(manifest).not.toHaveProperty("devDependencies");
  });

  it.each(names)("%s has no tests, no maps, and no reference to a map", (name) => {
    const files = filesOf(name);
    expect(files.filter((file) => /\.map$|\.test\.|(^|\/)testing\//.test(file))).toEqual([]);
    const referring = files.filter(
      (file) =>
        /\.(js|d\.ts)$/.test(file) &&
        /\/\/# sourceMappingURL=\S+$/m.test(readFileSync(join(folder, name, file), "utf8")),
    );
    expect(referring).toEqual([]);
  });

  it.each(names)("%s depends on exact versions", (name) => {
    const versions = Object.values(manifestOf(name).dependencies ?? {});
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it.each(names)("%s passes publint", async (name) => {
    const { messages } = await publint({ pkgDir: join(folder, name), pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it.each(names)("%s has types that resolve as its modules do", async (name) => {
    const data = new Uint8Array(readFileSync(tarballOf(name)));
    const checked = await checkPackage(createPackageFromTarballData(data));
    // The packages have ECMAScript modules only, as `type` says, and are not resolved as before Node 16.
    const others = ["node10", "node16-cjs"];
    const problems = checked.types === false ? [] : checked.problems;
    expect(
      problems.filter(
        (problem) => !("resolutionKind" in problem && others.includes(problem.resolutionKind)),
      ),
    ).toEqual([]);
    expect(checked.types === false).toBe(name === "console");
  });
});

describe("the published server", () => {
  it("brings few packages with it", () => {
    const { dependencies = {} } = manifestOf("server");
    const installed = Object.keys(dependencies).map((name) => placeOf(name, "packages/server"));
    const all = new Set(installed.flatMap((place) => [...installedWith(place)]));
    expect(all.size + 1).toBeLessThanOrEqual(INSTALLED_MAX);
  });

  it("runs the first plan with nothing but its bundle and these packages", async () => {
    const modules = join(folder, "node_modules");
    mkdirSync(join(folder, "empty"));
    for (const name of Object.keys(manifestOf("server").dependencies ?? {})) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    }
    await firstPlan(process.execPath, join(folder, "server"), join(folder, "empty"));
  });

  it("has the licences of what is in its bundle, and names it in its bill of materials", () => {
    const licences = readFileSync(
      join(folder, "server/dist/bundle/THIRD-PARTY-LICENSES.txt"),
      "utf8",
    );
    const named = [...licences.matchAll(/^## (\S+) (\d\S*) \((.+)\)$/gm)];
    expect(named.map(([, name]) => name)).toEqual(
      expect.arrayContaining(["fastify", "pg", "stripe", "zod", "openid-client", "n3"]),
    );
    expect(named.filter(([, , , licence]) => licence === "undefined")).toEqual([]);
    const bill = readFileSync(join(folder, "server/sbom.cdx.json"), "utf8");
    const unnamed = named.filter(
      ([, name = "", version = ""]) => !bill.includes(`"${name}@${version}"`),
    );
    expect(unnamed.map(([title]) => title)).toEqual([]);
    expect(bill).toContain('"@photostructure/sqlite@');
  });

  it("is locked to no registry", () => {
    const hosts = Object.values(lock).filter(({ resolved }) => /^[a-z+]+:/.test(resolved ?? ""));
    expect(hosts).toEqual([]);
  });
});

interface Locked {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const { packages: lock } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** The folders, as in the lock file, of a package and of all that it depends on. */
function installedWith(folder: string, found: Set<string> = new Set()): ReadonlySet<string> {
  found.add(folder);
  for (const name of Object.keys(lock[folder]?.dependencies ?? {})) {
    const next = placeOf(name, folder);
    if (!found.has(next)) installedWith(next, found);
  }
  return found;
}

function placeOf(name: string, dependent: string): string {
  const place = [`${dependent}/node_modules/${name}`, `node_modules/${name}`].find(
    (path) => lock[path] !== undefined,
  );
  if (place === undefined) throw new Error(`${dependent} depends on ${name}, which is not locked`);
  return lock[place]?.link === true ? (lock[place].resolved ?? place) : place;
}

function filesOf(name: string): readonly string[] {
  return readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1));
}

function tarballOf(name: string): string {
  return join(folder, `steward-${name}-${String(manifestOf(name)["version"])}.tgz`);
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")) as Manifest;
}
