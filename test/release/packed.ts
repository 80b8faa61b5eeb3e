import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Packs all packages as a release does.
 * @param folder an empty folder; afterwards it has a folder for each package, named as in `packages/`, and its tarball.
 */
export function release(folder: string): void {
  execFileSync(process.execPath, ["scripts/release.js", "pack", folder], {
    cwd: ROOT,
    stdio: "pipe",
  });
}
