/**
 * Checks of what a server needs before it can listen. `serve` refuses to start on a failure of
 * {@link checkStart}, `doctor` and `migrate` report the same findings; so none of them promises what
 * another one refuses. A check changes nothing.
 */
import type { Config } from "../../config/index.js";
import { checkDataDirectory } from "./data-directory.js";
import { checkFileSources, checkOpenSources, checkServerSources } from "./data-sources.js";
import { checkFiles } from "./files.js";
import type { Finding } from "./finding.js";
import { checkPeers } from "./peers.js";
import { checkProviders } from "./providers.js";
import { checkStore } from "./store.js";

export { checkDisk } from "./data-directory.js";
export { fail, ok, reasonOf, warn, type Finding } from "./finding.js";
export { checkPort } from "./port.js";

/** What stops a start when it fails. */
export async function checkStart(config: Config): Promise<readonly Finding[]> {
  const directory = checkDataDirectory(config.dataDir);
  return [
    directory,
    // Without its directory nothing can be said about the files in it.
    ...(directory.status === "ok" ? checkFiles(config) : []),
    ...(await checkStore(config)),
    ...(await checkFileSources(config)),
    ...checkOpenSources(config),
  ];
}

/** Services of others, without which a server starts: they may be away for a while. */
export async function checkServices(config: Config): Promise<readonly Finding[]> {
  const found = await Promise.all([
    checkServerSources(config),
    checkProviders(config),
    checkPeers(config),
  ]);
  return found.flat();
}
