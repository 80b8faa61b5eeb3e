// Packs and publishes the packages of this repository, after a build.
//
// node scripts/release.js pack FOLDER      into an empty folder
// node scripts/release.js publish FOLDER   the same, and then to the registry that npm is configured for
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { releasedVersion } from "./release/packages.js";
import { packAll } from "./release/stage.js";

const [command, given] = process.argv.slice(2);
if (!["pack", "publish"].includes(command) || given === undefined) {
  console.error("usage: node scripts/release.js pack|publish FOLDER");
  process.exit(2);
}
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);

const version = releasedVersion();
const packages = await packAll(folder);
for (const { name, files, bytes, packedBytes } of packages) {
  const sizes = `${megabytes(bytes)} MB, ${megabytes(packedBytes)} MB packed`;
  console.log(`${name} ${version}: ${files} files, ${sizes}`);
}
if (command === "publish") for (const one of packages) publish(one);

function publish({ name, tarball }) {
  if (isPublished(name)) {
    console.log(`${name} ${version} is published already`);
    return;
  }
  // npm proves where a package was built where a build server vouches for it.
  const canProve = ["ACTIONS_ID_TOKEN_REQUEST_URL", "SIGSTORE_ID_TOKEN"].some(
    (variable) => process.env[variable],
  );
  const provenance = canProve ? ["--provenance"] : [];
  npm(["publish", tarball, "--access=public", ...provenance], "inherit");
}

/** Whether a release that was interrupted had come this far. */
function isPublished(name) {
  try {
    return npm(["view", `${name}@${version}`, "version"], "pipe").trim() === version;
  } catch (error) {
    if (String(error.stderr).includes("E404")) return false;
    throw error;
  }
}

function npm(args, stdio) {
  return execFileSync("npm", [...args, "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", stdio === "inherit" ? "inherit" : "pipe", stdio],
  });
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(2);
}
