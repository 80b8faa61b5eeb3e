/** The toolsets of the MCP endpoint; `docs/mcp.md` lists their tools. */
export const TOOLSETS = ["ask", "tools", "plans", "memory", "migrations", "admin"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/**
 * Names of the tools of the other toolsets than `tools`, which has the operator's own; those must have
 * other names.
 */
export const OWN_TOOL_NAMES: readonly string[] = [
  "explore_data",
  "query",
  "get_result",
  "execute_step",
  "submit_plan",
  "append_steps",
  "fork_plan",
  "finish_plan",
  "get_plan",
  "list_plans",
  "cancel_plan",
  "wait_for_events",
  "search_memory",
  "add_memory",
  "propose_migration",
  "get_usage",
];

/** The toolsets of a client that chooses none, on a server whose operator has chosen none. */
export const TOOLSETS_DEFAULT: readonly Toolset[] = ["ask", "tools"];

/** The word that stands for all toolsets. */
const ALL = "all";

/** How an error or a help text lists the toolsets that exist. */
export const TOOLSETS_SHAPE = `${ALL}, or one or several of ${TOOLSETS.join(", ")}, separated by commas`;

/** The toolsets that a comma-separated text names. @returns the unknown names, if there are any. */
export function toolsetsOf(
  text: string,
): { readonly toolsets: readonly Toolset[] } | { readonly unknown: readonly string[] } {
  const names = text.split(",").map((name) => name.trim());
  const known: readonly string[] = [ALL, ...TOOLSETS];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) return { unknown };
  return { toolsets: TOOLSETS.filter((name) => names.includes(ALL) || names.includes(name)) };
}
