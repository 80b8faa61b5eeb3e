// Which files the program runs from: the bundle of `npm run build`, unless something was compiled since then.
import { statSync } from "node:fs";

const packages = new URL("../../", import.meta.url);
/** The packages that the bundle is made of. */
export const BUNDLED = [
  ...["protocol", "operations", "client", "kernel", "state", "postgres", "schema", "server"],
];
/** The first module of the program, bundled. It is written last. */
export const BUNDLE = new URL("../dist/bundle/main.js", import.meta.url);
/** The first module of the program as the compiler writes it. */
export const COMPILED = new URL("../dist/cli/main.js", import.meta.url);

/** What the compiler writes last. Only a checkout has these files: the published packages leave them out. */
const BUILD_RECORDS = BUNDLED.map((name) => new URL(`${name}/dist/.tsbuildinfo`, packages));

/** @returns the module to import, or `undefined` when nothing was built. */
export function programFile() {
  if (isBundleCurrent()) return BUNDLE;
  return writtenAt(COMPILED) === undefined ? undefined : COMPILED;
}

/** Whether nothing was compiled after the bundle was made. A command may not run from outdated modules. */
export function isBundleCurrent() {
  const bundledAt = writtenAt(BUNDLE);
  if (bundledAt === undefined) return false;
  return BUILD_RECORDS.every((file) => (writtenAt(file) ?? 0) < bundledAt);
}

function writtenAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
