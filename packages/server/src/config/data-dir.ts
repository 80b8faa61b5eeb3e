import { join } from "node:path";

/** The directory in the data directory that has a file for each organization's state. */
export function stateDirectory(dataDir: string): string {
  return join(dataDir, "state");
}

/** The directory in the data directory for this node's clones of a state that several nodes share. */
export function clonesDirectory(dataDir: string): string {
  return join(dataDir, "state-clones");
}

/** The file in the data directory that names the node that uses it. */
export function nodeFile(dataDir: string): string {
  return join(dataDir, "node.json");
}
