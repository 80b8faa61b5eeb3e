// Stack traces name the sources instead of the bundle. The map of a file is read when a stack trace needs it:
// `process.setSourceMapsEnabled` would keep the maps of all loaded modules in memory, also those of npm packages.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** @param {string} folder URL of the folder whose files have source maps. */
export function nameSources(folder) {
  const maps = new Map();
  Error.prepareStackTrace = (error, sites) =>
    [titleOf(error), ...sites.map((site) => `    at ${placeOf(site)}`)].join("\n");

  function placeOf(site) {
    const file = site.getFileName();
    if (!file?.startsWith(folder)) return String(site);
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
    const source = mapOf(file)?.findEntry(line - 1, column - 1);
    if (source?.originalSource === undefined) return String(site);
    const path = fileURLToPath(new URL(source.originalSource, file));
    const place = `${path}:${source.originalLine + 1}:${source.originalColumn + 1}`;
    return String(site).replace(`${file}:${line}:${column}`, () => place);
  }

  /** The source map of a file; absent when it cannot be read. */
  function mapOf(file) {
    if (!maps.has(file)) {
      maps.set(file, undefined);
      try {
        maps.set(file, new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), "utf8"))));
      } catch {
        // The stack trace then names the bundle.
      }
    }
    return maps.get(file);
  }
}

function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}
