import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Writes the URL of each module that Node's ECMAScript module loader loads, including the first
 * file of each CommonJS package.
 */
const HOOKS = `
import { appendFileSync } from "node:fs";
let file;
export function initialize(data) { file = data; }
export async function load(url, context, next) {
  appendFileSync(file, url + "\\n");
  return next(url, context);
}`;

/**
 * Runs a program to its end.
 * @param program a file and its arguments.
 * @returns the URLs of the modules that its process loads, without those of threads and child
 * processes.
 */
export function loadedModules(program: readonly string[]): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "steward-modules-"));
  try {
    const list = join(directory, "modules");
    const register = join(directory, "register.mjs");
    const hooks = `data:text/javascript,${encodeURIComponent(HOOKS)}`;
    writeFileSync(list, "");
    writeFileSync(
      register,
      `import { register } from "node:module";
       register(${JSON.stringify(hooks)}, { data: ${JSON.stringify(list)} });`,
    );
    const args = ["--import", pathToFileURL(register).href, ...program];
    execFileSync(process.execPath, args, { env: {}, stdio: "ignore", cwd: directory });
    return readFileSync(list, "utf8").split("\n").filter(Boolean);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * @returns the URLs with the files of the bundle replaced by the sources of the modules that they are
 * made of.
 */
export function unbundled(urls: readonly string[]): readonly string[] {
  return urls.flatMap((url) => {
    if (!url.includes("/dist/bundle/")) return [url];
    const map = `${fileURLToPath(url)}.map`;
    // What the bundler itself writes comes from no source.
    if (!existsSync(map)) return [];
    const { sources } = JSON.parse(readFileSync(map, "utf8")) as {
      readonly sources: readonly string[];
    };
    return sources.map((source) => new URL(source, url).href);
  });
}
