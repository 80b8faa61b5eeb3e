import { type Intent, MCP_PREFIX, type VettedStatement } from "../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import {
  quoted,
  type JsonTool,
  type SqlTarget,
  type SqlTool,
  type ToolRefusal,
  type ToolRegistry,
  vettedStatement,
} from "../plans/ports.js";

/** The tools of the tools file. */
export interface ToolListing {
  /** Refuse names that are not listed. */
  readonly strict: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly dataSource: string;
    readonly allowedIntents?: readonly Intent[];
    readonly vetted?: VettedStatement;
  }[];
}

/**
 * Maps steps to tools (Decision §1): a listed name as configured, any other name to the data source that
 * the step names, or to the default one, which is the first, unless the listing is strict. The name of
 * another data source in place of a tool's is refused, because whoever gives it means that data source.
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
  const isOther = (name: string): boolean =>
    targets.has(name) && targets.get(name) !== defaultTarget;
  const listedTool = (toolName: string): SqlTool | JsonTool | undefined =>
    jsonTools.get(toolName) ?? listed.get(toolName);
  const unlisted: ToolRegistry["resolve"] = ({ toolName, dataSource = "" }) => {
    const isMeant = isOther(toolName) && dataSource !== toolName;
    if (listing.strict || toolName.startsWith(MCP_PREFIX) || defaultTarget === undefined) {
      const why = isMeant ? ": it is a data source; the catalog lists the tools on it" : "";
      return refused("tool_name", `tool ${quoted(toolName)} is not listed${why}`);
    }
    if (isMeant) {
      const fix = `set data_source to ${quoted(toolName)}, and leave tool_name out`;
      return refused("tool_name", `${quoted(toolName)} is a data source and no tool: ${fix}`);
    }
    if (dataSource === "") {
      return targets.size > 1
        ? { target: defaultTarget, isByDefault: true }
        : { target: defaultTarget };
    }
    const target = targets.get(dataSource);
    if (target !== undefined) return { target };
    const fix = "the catalog lists those that you may use";
    return refused("data_source", `there is no data source ${quoted(dataSource)}; ${fix}`);
  };
  return {
    dataSources: [...targets.keys()],
    resolve: (step) => {
      const { toolName, dataSource = "" } = step;
      const tool = listedTool(toolName);
      if (tool === undefined) return unlisted(step);
      if (dataSource === "" || dataSource === tool.target.name) return tool;
      const where = "compile" in tool ? "no data source" : `the data source ${tool.target.name}`;
      const fix = "leave data_source out, or use another tool_name";
      return refused("data_source", `tool ${quoted(toolName)} runs on ${where}: ${fix}`);
    },
    target: (name) => jsonTools.get(name)?.target ?? targets.get(name),
  };
}

function refused(field: ToolRefusal["field"], refusal: string): ToolRefusal {
  return { field, refusal };
}

function bind(
  tool: ToolListing["tools"][number],
  targets: ReadonlyMap<string, SqlTarget>,
): SqlTool {
  const target = targets.get(tool.dataSource);
  assert(target !== undefined, `data source ${tool.dataSource} of tool ${tool.name} is open`);
  const { allowedIntents, vetted } = tool;
  return {
    target,
    ...(allowedIntents === undefined ? {} : { allowedIntents }),
    ...(vetted === undefined
      ? {}
      : { vetted: { intent: vetted.intent, compile: vettedStatement(vetted, target.dialect) } }),
  };
}
