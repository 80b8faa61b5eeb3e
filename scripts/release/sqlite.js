// Puts SQLite into the server's package. As a dependency it would bring the sources that it was compiled from, an
// install script, which pnpm refuses to run, and a demand for Node 22, for which Yarn refuses to install it on Node 20.
// It runs there, and its prebuilt files need no script.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { thirdPartyLicences } from "../third-party.js";

export const SQLITE = "@photostructure/sqlite";
const source = dirname(createRequire(import.meta.url).resolve(`${SQLITE}/package.json`));

/** @param {string} folder gets `dist/index.js`, and the prebuilt files where that module looks for them. */
export async function copySqlite(folder) {
  const { version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const build = await rolldown({ input: join(source, "dist/index.mjs"), platform: "node" });
  const { output } = await build.write({ dir: join(folder, "dist"), format: "esm" });
  await build.close();
  cpSync(join(source, "prebuilds"), join(folder, "prebuilds"), { recursive: true });
  const modules = output.flatMap(({ moduleIds }) => moduleIds);
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), thirdPartyLicences(modules));
  // An error message names the package and its version.
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: SQLITE, version, type: "module" }),
  );
}
