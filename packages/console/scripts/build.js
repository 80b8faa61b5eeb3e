// Bundles the console into `dist`, unless nothing that it is made of has changed since the last time, and
// writes the licences of what it contains, and each file of text a second and third time, compressed, so that the server need not compress.
//
// node scripts/build.js
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { thirdPartyLicences } from "../../../scripts/third-party.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const stamp = join(dist, ".inputs");
/** What the bundle is made of. The lock file stands for the npm packages. */
const INPUTS = [
  ...["index.html", "package.json", "public", "scripts", "src", "tsconfig.json", "vite.config.ts"],
  ...["../client/dist", "../../package-lock.json", "../../scripts/third-party.js"],
];
/** Files below this size fit into one packet; compressing them saves nothing. */
const COMPRESSED_BYTES_MIN = 1024;

const inputs = hashOf(INPUTS.flatMap((name) => filesIn(join(root, name))));
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  // Loaded only here: when nothing changed, the build takes a few milliseconds.
  const { build } = await import("vite");
  const { output } = await build({ root, logLevel: "warn" });
  const licences = thirdPartyLicences(output.flatMap((file) => file.moduleIds ?? []));
  writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licences);
  for (const file of filesIn(dist)) compress(file);
  writeFileSync(stamp, inputs);
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => filesIn(join(path, entry.name)));
  } catch (error) {
    if (error.code === "ENOTDIR") return isInput(path) ? [path] : [];
    throw error;
  }
}

/** Tests are no part of the bundle, and what the compiler notes for itself changes without reason. */
function isInput(path) {
  return !/\.test\.(ts|tsx|js|d\.ts)(\.map)?$|\.tsbuildinfo$|\.map$/.test(path);
}

function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function compress(file) {
  // The server writes a nonce into the index, and so sends it as it is.
  if (!/\.(css|js|svg|json|webmanifest)$/.test(file)) return;
  const bytes = readFileSync(file);
  if (bytes.length < COMPRESSED_BYTES_MIN) return;
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: quality }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
