// Copies what a package publishes into a folder of its own, and packs it there. A staged package differs from the one
// in this repository: it has the licence, no development dependencies, no entry that only the tests here import, and no
// reference to a source map, because the sources that maps lead to are not published. The server has SQLite inside.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { releaseBill } from "./bill.js";
import { publishedPackages, ROOT } from "./packages.js";
import { copySqlite, SQLITE } from "./sqlite.js";

const TESTS_ONLY = "./testing/*";
const MAP_REFERENCE = /\n?\/\/# sourceMappingURL=\S+\.map\s*$/;

/**
 * @param {string} folder an empty folder; afterwards it has a folder and a tarball for each package.
 * @returns {Promise<{ name: string, tarball: string, files: number, bytes: number, packedBytes: number }[]>} the
 * packages, each after those that it depends on; `bytes` unpacked.
 */
export async function packAll(folder) {
  const packages = publishedPackages();
  const listed = npmJson(["pack", "--dry-run", ...packages.map(({ folder }) => folder)], folder);
  const staged = packages.map(({ folder: source, manifest }) => {
    const target = join(folder, manifest.name.slice("@steward/".length));
    const { files } = listed.find(({ name }) => name === manifest.name);
    for (const { path } of files) copy(join(source, path), join(target, path));
    cpSync(join(ROOT, "LICENSE"), join(target, "LICENSE"));
    writeJson(join(target, "package.json"), publishedManifest(manifest));
    return target;
  });
  const server = packages.findIndex(({ manifest }) => manifest.name === "@steward/server");
  await completeServer(packages[server].manifest, staged[server]);
  const packed = npmJson(["pack", ...staged], folder);
  return packages.map(({ manifest: { name } }) => {
    const { filename, files, size, unpackedSize } = packed.find((entry) => entry.name === name);
    return {
      ...{ name, tarball: join(folder, filename) },
      ...{ files: files.length, bytes: unpackedSize, packedBytes: size },
    };
  });
}

async function completeServer(manifest, target) {
  await copySqlite(join(target, "sqlite"));
  const published = publishedManifest(manifest);
  const { [SQLITE]: inside, ...dependencies } = published.dependencies;
  const imports = { "#sqlite": "./sqlite/dist/index.js" };
  writeJson(join(target, "package.json"), { ...published, imports, dependencies });
  writeJson(join(target, "sbom.cdx.json"), releaseBill(manifest));
}

function publishedManifest({ devDependencies, scripts, files, exports, ...manifest }) {
  const { [TESTS_ONLY]: testsOnly, ...published } = exports;
  return { ...manifest, exports: published };
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
  if (/\.(js|d\.ts)$/.test(to))
    writeFileSync(to, readFileSync(to, "utf8").replace(MAP_REFERENCE, "\n"));
}

function npmJson(args, cwd) {
  const output = execFileSync("npm", [...args, "--json", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const answer = JSON.parse(output);
  return Array.isArray(answer) ? answer : Object.values(answer);
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
