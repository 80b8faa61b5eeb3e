import { readFileSync } from "node:fs";
import { LineCounter, isNode, parseDocument } from "yaml";
import type { Document } from "yaml";
import type { DataSourceConfig } from "../config.js";
import type { Environment } from "../env.js";
import type { SettingProblem } from "../read-settings.js";
import { SETTINGS } from "../settings.js";
import { checkTools, type ToolsContent } from "./tools-schema.js";

/** The result of reading a tools file, whose content is absent when it has mistakes. */
export interface ToolsFile extends Partial<ToolsContent> {
  readonly problems: readonly SettingProblem[];
}

/**
 * Reads the tools file (Decision §1): the tool names, and the data source and intents of each.
 * Every mistake is reported with its line.
 * @param dataSources the configured data sources; a tool must be bound to one of them.
 * @param env the environment, from which headers and variables of MCP servers take their secrets.
 */
export function readToolsFile(
  file: string,
  dataSources: readonly DataSourceConfig[],
  env: Environment,
): ToolsFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return problems([`the file ${file} cannot be read`], "give the path of a YAML file");
  }
  return parseToolsFile(text, file, dataSources, env);
}

/** Parses the text of a tools file; `file` is its name in messages. */
export function parseToolsFile(
  text: string,
  file: string,
  dataSources: readonly DataSourceConfig[],
  env: Environment = {},
): ToolsFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${String(lines.linePos(offset).line)}`;
  if (document.errors.length > 0) {
    const reasons = document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`);
    return problems(reasons, "correct the YAML there");
  }
  const checked = checkTools(document.toJS() ?? {}, dataSources, env);
  if (checked.ok) return { ...checked.content, problems: [] };
  const reasons = checked.mistakes.map(({ path, reason }) => {
    return `${at(offsetOf(document, path))}: ${dotted(path)}${reason}`;
  });
  return problems(reasons, "correct the tools file there");
}

function problems(reasons: readonly string[], fix: string): ToolsFile {
  const setting = SETTINGS.toolsFile.name;
  return { problems: reasons.map((reason) => ({ setting, reason, fix })) };
}

/** Offset of a path's value in the text; for a missing value, where it should have been. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  const node = document.getIn(path, true);
  if (isNode(node) && node.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}

/** A path as a prefix of a message: `tools[2].name: `; empty for the file as a whole. */
function dotted(path: readonly (string | number)[]): string {
  const text = path
    .map((key) => (typeof key === "number" ? `[${String(key)}]` : `.${key}`))
    .join("");
  return text === "" ? "" : `${text.replace(/^\./, "")}: `;
}
