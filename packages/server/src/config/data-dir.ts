import { join } from "node:path";

/**
 * Everything that a server keeps in its data directory; docs/operate.md says of each what a backup
 * needs.
 */
export const DATA_DIRECTORY = {
  store: "steward.db",
  /** One state file per organization. */
  state: "state",
  /** This node's clones of a shared state. */
  clones: "state-clones",
  /** The private key that signs the audit log, unless a setting names another file. */
  auditKey: "audit.key",
  /** The newest state of each audit log that a server with this data directory has seen. */
  auditSeen: "audit-seen",
  /** The access tokens for other MCP servers. */
  mcpGrants: "mcp-grants.json",
  /** The id of the node that uses the data directory. */
  node: "node.json",
  temporary: "sql-temporary",
  sample: "sample-shop.db",
} as const;

/** A file or directory in the data directory. */
export function inDataDirectory(dataDir: string, what: keyof typeof DATA_DIRECTORY): string {
  return join(dataDir, DATA_DIRECTORY[what]);
}
