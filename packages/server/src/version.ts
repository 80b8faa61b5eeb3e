import { readFileSync } from "node:fs";

/** The version of this package. */
export function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  // npm refuses a package without a version.
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
