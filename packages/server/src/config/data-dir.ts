import { join } from "node:path";

/** The directory with one state file per organization. */
export function stateDirectory(dataDir: string): string {
  return join(dataDir, "state");
}

/** The directory with this node's clones of a shared state. */
export function clonesDirectory(dataDir: string): string {
  return join(dataDir, "state-clones");
}

/** The private file with the access tokens for other MCP servers. */
export function mcpGrantsFile(dataDir: string): string {
  return join(dataDir, "mcp-grants.json");
}

/** The file with the id of the node that uses the data directory. */
export function nodeFile(dataDir: string): string {
  return join(dataDir, "node.json");
}
