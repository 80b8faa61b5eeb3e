/**
 * Another MCP server, or its authorization server, gives no access. The message is safe to show and says
 * what an operator does about it. Nothing was called.
 */
export class AccessRefused extends Error {
  override readonly name = "AccessRefused";
}

/** There is no valid grant left, so a person has to sign in. */
export function signInNeeded(server: string, reason: string, scope?: string): AccessRefused {
  const flag = scope === undefined ? "" : ` --scope '${scope}'`;
  return new AccessRefused(
    `${reason}: an operator signs in with \`steward tools login ${server}${flag}\``,
  );
}
