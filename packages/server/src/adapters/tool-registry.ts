import { type Intent, MCP_PREFIX } from "../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import type { JsonTool, SqlTarget, SqlTool, ToolRegistry } from "../plans/ports.js";

/** The tools of the tools file. */
export interface ToolListing {
  /** Refuse names that are not listed. */
  readonly strict: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly dataSource: string;
    readonly allowedIntents?: readonly Intent[];
  }[];
}

/**
 * Maps tool names to data sources (Decision §1): a listed name as configured, any other name to the
 * default data source, which is the first one, unless the listing is strict. The name of another data source is
 * refused, because whoever gives it means that one.
 * @param targets by name; they include every data source in the listing.
 * @param jsonTools by name: the service's own tools, and the listed tools of MCP servers. Each name
 * is also the name of its target.
 */
export function buildToolRegistry(
  listing: ToolListing,
  targets: ReadonlyMap<string, SqlTarget>,
  jsonTools: ReadonlyMap<string, JsonTool> = new Map(),
): ToolRegistry {
  const listed = new Map(listing.tools.map((tool) => [tool.name, bind(tool, targets)]));
  const [defaultTarget] = targets.values();
  const unlisted: SqlTool | undefined =
    listing.strict || defaultTarget === undefined ? undefined : { target: defaultTarget };
  const isOther = (name: string): boolean =>
    targets.has(name) && targets.get(name) !== defaultTarget;
  return {
    resolve: (toolName) =>
      jsonTools.get(toolName) ??
      listed.get(toolName) ??
      (toolName.startsWith(MCP_PREFIX) || isOther(toolName) ? undefined : unlisted),
    target: (name) => jsonTools.get(name)?.target ?? targets.get(name),
  };
}

function bind(
  tool: ToolListing["tools"][number],
  targets: ReadonlyMap<string, SqlTarget>,
): SqlTool {
  const target = targets.get(tool.dataSource);
  assert(target !== undefined, `data source ${tool.dataSource} of tool ${tool.name} is open`);
  const { allowedIntents } = tool;
  return { target, ...(allowedIntents === undefined ? {} : { allowedIntents }) };
}
