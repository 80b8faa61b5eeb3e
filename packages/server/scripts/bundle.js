// Bundles the program `steward`, and the API to embed a server, from the compiled modules of this repository and the
// npm packages that they import, unless the bundle is current. A start then reads some fifty files instead of two
// thousand, and the published package needs hardly any other. Only what its package.json names in `dependencies` and
// `peerDependencies` stays outside.
//
// node scripts/bundle.js
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, BUNDLED, isBundleCurrent } from "../bin/program.js";
import { thirdPartyLicences } from "../../../scripts/third-party.js";

const bundle = dirname(fileURLToPath(BUNDLE));
const packages = join(import.meta.dirname, "../..");
const server = join(packages, "server/dist");
const manifest = JSON.parse(readFileSync(join(packages, "server/package.json"), "utf8"));

/** Modules that threads and child processes begin with, or that they load by their URL, by their package. */
const ENTRIES = {
  server: [
    "adapters/policy-cedar/check-worker.js",
    "adapters/sql-analyzer/reading/reading-worker.js",
    "adapters/sql-target-sqlite/child/sql-child.js",
    "adapters/sql-target-sqlite/child/watch-worker.js",
    "adapters/vector-index-wasm/worker.js",
    "storage/postgres/derivation/derivation-worker.js",
    "storage/postgres/memory/memory-index-source.js",
    "storage/sqlite/commit-worker.js",
    "storage/sqlite/derivation/derivation-worker.js",
    "storage/sqlite/memory/memory-index-source.js",
    "storage/sqlite/reads/read-worker.js",
    "storage/sqlite/state/state-upkeep-worker.js",
    "transport/rest/openapi/description-worker.js",
  ],
  schema: ["sqlite-database/apply-worker.js"],
  state: [
    "rdf/child/parent-watch-worker.js",
    "rdf/child/rdf-child.js",
    "sparql/child/sparql-child.js",
    "sparql/child/watch-worker.js",
  ],
};
/** Their files in the bundle, by the file of the module. */
const entryFiles = new Map(
  Object.entries(ENTRIES).flatMap(([name, modules]) =>
    modules.map((module) => [
      join(packages, name, "dist", module),
      (name === "server" ? module : `${name}/${module}`).replaceAll("/", "-"),
    ]),
  ),
);
const external = new Set([
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.peerDependencies),
]);

/** What only the types of modules that the API does not show come from. */
const declared = new Set(
  Object.keys(manifest.devDependencies).filter((name) => !name.startsWith("@steward/")),
);
/** What a release puts in the place of this package: see scripts/release/sqlite.js. */
const SQLITE = "@photostructure/sqlite";
/** Loads documents for jsonld. */
const UNUSED_HTTP_CLIENT = "@digitalbazaar/http-client";

const inputs = [import.meta.filename, join(packages, "server/package.json")];
if (!isBundleCurrent() || inputs.some((file) => statSync(BUNDLE).mtimeMs < statSync(file).mtimeMs))
  await build();

async function build() {
  // Loaded only here: when nothing was compiled, this script takes a few milliseconds.
  const { rolldown } = await import("rolldown");
  rmSync(bundle, { recursive: true, force: true });
  await Promise.all([bundleTypes(rolldown), bundlePrograms(rolldown)]);
}

async function bundlePrograms(rolldown) {
  const entries = [
    [join(server, "cli/main.js"), "main.js"],
    [join(server, "index.js"), "index.js"],
    ...entryFiles,
  ];
  const build = await rolldown({
    input: Object.fromEntries(entries.map(([module, file]) => [file.replace(/\.js$/, ""), module])),
    platform: "node",
    external: (id) => id !== SQLITE && isExternal(id),
    plugins: [{ name: "steward", resolveId, load }],
  });
  const { output } = await build.write({
    dir: bundle,
    format: "esm",
    sourcemap: true,
    // V8 keeps the text of a module, and the runtime the text of its source map.
    sourcemapExcludeSources: true,
    // Without comments, but with lines: Node shows the line of an error that nobody catches.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
    chunkFileNames: "[name]-[hash].js",
  });
  const modules = output.flatMap((file) => file.moduleIds ?? []);
  writeFileSync(join(bundle, "THIRD-PARTY-LICENSES.txt"), thirdPartyLicences(modules));
  await build.close();
}

/** Writes the types of the API to embed a server into one file. */
async function bundleTypes(rolldown) {
  const { dts } = await import("rolldown-plugin-dts");
  const build = await rolldown({
    input: join(server, "index.d.ts"),
    platform: "node",
    // The plugin reads each of three hundred files by itself.
    checks: { pluginTimings: false },
    external: (id) => isExternal(id) || declared.has(packageName(id)),
    plugins: [dts({ dtsInput: true, sourcemap: false, tsconfig: false })],
  });
  await build.write({ dir: bundle, format: "esm" });
  await build.close();
}

/** Whether an import is of a package that the published server depends on. */
function isExternal(id) {
  return external.has(packageName(id));
}

function packageName(id) {
  return /^(@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

function resolveId(id) {
  if (id === SQLITE) return { id: "#sqlite", external: true };
  // It has 1.5 MB, and the server refuses to load documents.
  return id === UNUSED_HTTP_CLIENT ? `\0${id}` : null;
}

/** Passes the source maps of the compiler on, so that stack traces name the sources. */
function load(id) {
  if (id === `\0${UNUSED_HTTP_CLIENT}`) return "export {};";
  const name = packageOf(id);
  if (name === undefined) return null;
  const code = withLocations(readFileSync(id, "utf8"), id, name);
  return { code, map: JSON.parse(readFileSync(`${id}.map`, "utf8")) };
}

/**
 * Replaces the URL of a module, from which it finds other files of the server's package, by an expression that has the
 * same value in the bundle. What threads and child processes begin with is found in the bundle itself.
 */
function withLocations(code, id, name) {
  const original = `new URL("${relative(bundle, id)}", import.meta.url).href`;
  return code.replace(
    /new URL\("([^"]+)", import\.meta\.url\)|import\.meta\.url/g,
    (found, path) => {
      const module = path && resolve(dirname(id), path);
      const entry = entryFiles.get(module);
      if (entry) return `new URL("./${entry}", import.meta.url)`;
      // Such a thread would load hundreds of modules that the bundle contains already.
      if (module?.startsWith(packages + sep) && /\/dist\/.*\.js$/.test(module))
        throw new Error(`${id} starts ${path}: add it to ENTRIES, or it runs outside the bundle`);
      if (name !== "server")
        throw new Error(`${id} looks for a file of its package, which is not in the bundle`);
      return found.replace("import.meta.url", original);
    },
  );
}

/** @returns the folder in `packages` that has the file, if it is one of those that are bundled. */
function packageOf(file) {
  return BUNDLED.find((name) => file.startsWith(join(packages, name, "dist") + sep));
}
