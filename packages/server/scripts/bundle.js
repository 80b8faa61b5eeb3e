// Bundles the program `steward` from the compiled modules of this repository, unless the bundle is current. A start
// then reads some fifty files instead of a thousand, which saves a third of its processor time. The npm packages of the
// server stay outside, and so does the API to embed a server, which is imported module by module.
//
// node scripts/bundle.js
import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE, BUNDLED, isBundleCurrent } from "../bin/program.js";

const bundle = dirname(fileURLToPath(BUNDLE));
const packages = join(import.meta.dirname, "../..");
const server = join(packages, "server/dist");
const manifests = new Map(BUNDLED.map((name) => [name, manifestOf(name)]));

/** Modules that threads and child processes begin with, or that they load by their URL. */
const ENTRIES = [
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
];
/** Their files in the bundle, by the file of the module. */
const entryFiles = new Map(
  ENTRIES.map((module) => [join(server, module), module.replaceAll("/", "-")]),
);

if (!isBundleCurrent() || statSync(BUNDLE).mtimeMs < statSync(import.meta.filename).mtimeMs)
  await build();

async function build() {
  // Loaded only here: when nothing was compiled, this script takes a few milliseconds.
  const { rolldown } = await import("rolldown");
  const entries = [[join(server, "cli/main.js"), "main.js"], ...entryFiles];
  const build = await rolldown({
    input: Object.fromEntries(entries.map(([module, file]) => [file.replace(/\.js$/, ""), module])),
    platform: "node",
    external: isExternal,
    plugins: [{ name: "steward", load }],
  });
  rmSync(bundle, { recursive: true, force: true });
  await build.write({
    dir: bundle,
    format: "esm",
    sourcemap: true,
    // V8 keeps the text of a module, and the runtime the text of its source map.
    sourcemapExcludeSources: true,
    minify: { compress: false, mangle: false, codegen: true },
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
}

/**
 * An npm package is bundled when the server does not depend on the same version of it: the bundle might import another
 * one, or none.
 */
function isExternal(id, importer) {
  if (/^[./]|^@steward\//.test(id)) return false;
  const name = /^(@[^/]+\/)?[^/]+/.exec(id)[0];
  const wanted = importer && manifests.get(packageOf(importer))?.dependencies?.[name];
  return wanted === manifests.get("server").dependencies[name];
}

/** Passes the source maps of the compiler on, so that stack traces name the sources. */
function load(id) {
  const name = packageOf(id);
  if (name === undefined) return null;
  const code = withLocations(readFileSync(id, "utf8"), id, name);
  return { code, map: JSON.parse(readFileSync(`${id}.map`, "utf8")) };
}

/**
 * Replaces the URL of a module, from which it finds other files, by an expression that has the same value in the
 * bundle. What threads and child processes begin with is found in the bundle itself.
 */
function withLocations(code, id, name) {
  const original =
    name === "server"
      ? `new URL("${relative(bundle, id)}", import.meta.url).href`
      : `new URL("${relative(join(packages, name, "dist"), id)}", import.meta.resolve("@steward/${name}")).href`;
  return code.replace(
    /new URL\("([^"]+)", import\.meta\.url\)|import\.meta\.url/g,
    (found, path) => {
      const module = path && resolve(dirname(id), path);
      const entry = entryFiles.get(module);
      // Such a thread would load hundreds of modules that the bundle contains already.
      if (!entry && module?.startsWith(server + sep) && module.endsWith(".js"))
        throw new Error(`${id} starts ${path}: add it to ENTRIES, or it runs outside the bundle`);
      return entry
        ? `new URL("./${entry}", import.meta.url)`
        : found.replace("import.meta.url", original);
    },
  );
}

/** @returns the folder in `packages` that has the file, if it is one of those that are bundled. */
function packageOf(file) {
  return BUNDLED.find((name) => file.startsWith(join(packages, name, "dist") + sep));
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
}
