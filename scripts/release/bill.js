// The bill of materials of the server, in CycloneDX: what npm installs with it, and what its bundles contain.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages, ROOT } from "./packages.js";

const LICENCES = [
  "packages/server/dist/bundle/THIRD-PARTY-LICENSES.txt",
  "packages/console/dist/THIRD-PARTY-LICENSES.txt",
];

/**
 * @param {{ name: string, version: string, description: string, license: string }} server
 * @returns {object} a CycloneDX document; the same for the same packages.
 */
export function releaseBill({ name, version, description, license }) {
  const ref = `${name}@${version}`;
  const known = npmBill();
  const needs = new Map(known.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  // Of the packages here, npm lists what their development needs too.
  for (const { manifest } of publishedPackages()) {
    const { name, version, dependencies = {} } = manifest;
    const needed = needs.get(`${name}@${version}`);
    needs.set(
      `${name}@${version}`,
      needed.filter((other) => other.slice(0, other.lastIndexOf("@")) in dependencies),
    );
  }
  const wanted = new Set([...bundled(), ...reachable(ref, needs)]);
  // The same version may be in several folders of the repository.
  const components = new Map(
    known.components
      .filter((component) => wanted.has(component["bom-ref"]) && component["bom-ref"] !== ref)
      .map(({ properties, ...component }) => [component["bom-ref"], component]),
  );
  return {
    ...{ $schema: known.$schema, bomFormat: "CycloneDX", specVersion: known.specVersion },
    version: 1,
    metadata: {
      component: {
        ...{ "bom-ref": ref, type: "application", name, version, description },
        licenses: [{ license: { id: license } }],
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      },
    },
    components: [...components.values()],
    dependencies: [
      { ref, dependsOn: [...components.keys()] },
      ...[...components.keys()].map((one) => ({
        ref: one,
        dependsOn: (needs.get(one) ?? []).filter((other) => components.has(other)),
      })),
    ],
  };
}

function reachable(ref, needs, found = new Set()) {
  found.add(ref);
  for (const next of needs.get(ref) ?? []) if (!found.has(next)) reachable(next, needs, found);
  return found;
}

/** Names and versions of the npm packages in the bundles. */
function bundled() {
  return LICENCES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/^## (\S+) (\d\S*) \(/gm)].map(
      ([, name, version]) => `${name}@${version}`,
    ),
  );
}

function npmBill() {
  const output = execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--loglevel=error"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output);
}
