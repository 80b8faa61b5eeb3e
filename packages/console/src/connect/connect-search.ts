export const CLIENTS = [
  "claude-code",
  "cursor",
  "vscode",
  "claude-desktop",
  "chatgpt",
  "typescript",
  "curl",
] as const;

/** A program that can use Steward. */
export type AgentClient = (typeof CLIENTS)[number];

/** The client whose lines are shown, as the page's address says it. */
export interface ConnectSearch {
  readonly client?: AgentClient;
}

/** Reads an address; unknown parameters are ignored. */
export function connectSearchOf({ client }: Readonly<Record<string, unknown>>): ConnectSearch {
  const known = CLIENTS.find((each) => each === client);
  return known === undefined ? {} : { client: known };
}
