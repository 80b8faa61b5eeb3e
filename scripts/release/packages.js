// What is published: the packages of this repository that are not private, each after those that it depends on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** @returns {{ folder: string, manifest: object }[]} the published packages, in the order of publishing. */
export function publishedPackages() {
  const folders = readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name));
  const rest = new Map(
    folders
      .map((folder) => ({ folder, manifest: readJson(join(folder, "package.json")) }))
      .filter(({ manifest }) => manifest.private !== true)
      .map((entry) => [entry.manifest.name, entry]),
  );
  const ordered = [];
  while (rest.size > 0) {
    const next = [...rest.values()].find(({ manifest }) =>
      Object.keys(manifest.dependencies ?? {}).every((name) => !rest.has(name)),
    );
    if (next === undefined) throw new Error(`packages need each other: ${[...rest.keys()]}`);
    ordered.push(next);
    rest.delete(next.manifest.name);
  }
  return ordered;
}

/**
 * @returns {string} the version that all packages have.
 * @throws when a package, a dependency between packages or the changelog names another one.
 */
export function releasedVersion() {
  const { version } = readJson(join(ROOT, "package.json"));
  const problems = [];
  for (const { manifest } of publishedPackages()) {
    const { name, dependencies = {}, devDependencies = {} } = manifest;
    if (manifest.version !== version) problems.push(`${name} has version ${manifest.version}`);
    for (const [other, wanted] of Object.entries({ ...dependencies, ...devDependencies }))
      if (other.startsWith("@steward/") && wanted !== version)
        problems.push(`${name} wants ${other} ${wanted}`);
  }
  const [, newest] = /^## (\S+)/m.exec(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")) ?? [];
  if (newest !== version) problems.push(`the newest version in CHANGELOG.md is ${newest}`);
  if (problems.length > 0) throw new Error(`not ${version} everywhere: ${problems.join("; ")}`);
  return version;
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
