import type { Intent } from "../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import type { OwnTool, SqlTarget, SqlTool, ToolRegistry } from "../plans/ports.js";

/** The tools of the tools file. */
export interface ToolListing {
  /** Refuse names that are not listed. */
  readonly strict: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly dataSource: string;
    readonly allowedIntents?: readonly Intent[];
    readonly annotatedIntent?: Intent;
  }[];
}

/**
 * Maps tool names to data sources (Decision §1): a listed name as configured, any other name to the
 * default data source, which is the first one, unless the listing is strict.
 * @param targets by name; they include every data source in the listing.
 * @param own the service's own tools by name, which need no listing. Each is also the name of its
 * target.
 */
export function buildToolRegistry(
  listing: ToolListing,
  targets: ReadonlyMap<string, SqlTarget>,
  own: ReadonlyMap<string, OwnTool> = new Map(),
): ToolRegistry {
  const listed = new Map(listing.tools.map((tool) => [tool.name, bind(tool, targets)]));
  const [defaultTarget] = targets.values();
  const unlisted: SqlTool | undefined =
    listing.strict || defaultTarget === undefined ? undefined : { target: defaultTarget };
  return {
    resolve: (toolName) => own.get(toolName) ?? listed.get(toolName) ?? unlisted,
    target: (name) => own.get(name)?.target ?? targets.get(name),
  };
}

function bind(
  tool: ToolListing["tools"][number],
  targets: ReadonlyMap<string, SqlTarget>,
): SqlTool {
  const target = targets.get(tool.dataSource);
  assert(target !== undefined, `data source ${tool.dataSource} of tool ${tool.name} is open`);
  const { allowedIntents, annotatedIntent } = tool;
  return {
    target,
    ...(allowedIntents === undefined ? {} : { allowedIntents }),
    ...(annotatedIntent === undefined ? {} : { annotatedIntent }),
  };
}
