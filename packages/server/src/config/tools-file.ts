import { readFileSync } from "node:fs";
import { LineCounter, isNode, parseDocument } from "yaml";
import type { Document } from "yaml";
import type { DataSourceConfig, ToolsConfig } from "./config.js";
import type { SettingProblem } from "./read-settings.js";
import { SETTINGS } from "./settings.js";
import type { BoundOrganizations } from "./data-source-schema.js";
import { checkTools } from "./tools-schema.js";

/** A tools file read: usable exactly when nothing is wrong with it. */
export interface ToolsFile {
  readonly tools?: ToolsConfig;
  /** By data source, the organizations that it is bound to. */
  readonly bound?: BoundOrganizations;
  /** By data source, how many sessions or readers it has; of others, `SERVICE_SESSIONS_MAX`. */
  readonly sessions?: ReadonlyMap<string, number>;
  readonly problems: readonly SettingProblem[];
}

/**
 * Reads the tools file (Decision §1): which names there are, the data source and the intents of
 * each. Every mistake in it is reported with its line.
 * @param dataSources the configured ones; a tool must be bound to one of them.
 */
export function readToolsFile(file: string, dataSources: readonly DataSourceConfig[]): ToolsFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return problems([`the file ${file} cannot be read`], "give the path of a YAML file");
  }
  return parseToolsFile(text, file, dataSources);
}

/** Reads a tools file's text; `file` only names it in messages. */
export function parseToolsFile(
  text: string,
  file: string,
  dataSources: readonly DataSourceConfig[],
): ToolsFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${String(lines.linePos(offset).line)}`;
  if (document.errors.length > 0) {
    const reasons = document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`);
    return problems(reasons, "correct the YAML there");
  }
  const checked = checkTools(document.toJS() ?? {}, dataSources);
  if (checked.ok) {
    const { tools, bound, sessions } = checked;
    return { tools, bound, sessions, problems: [] };
  }
  const reasons = checked.mistakes.map(({ path, reason }) => {
    return `${at(offsetOf(document, path))}: ${dotted(path)}${reason}`;
  });
  return problems(reasons, "correct the tools file there");
}

function problems(reasons: readonly string[], fix: string): ToolsFile {
  const setting = SETTINGS.toolsFile.name;
  return { problems: reasons.map((reason) => ({ setting, reason, fix })) };
}

/** Where a path stands in the text; of what is missing, where it should have been. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  const node = document.getIn(path, true);
  if (isNode(node) && node.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}

/** `tools[2].name: `, or nothing for the file as a whole. */
function dotted(path: readonly (string | number)[]): string {
  const text = path
    .map((key) => (typeof key === "number" ? `[${String(key)}]` : `.${key}`))
    .join("");
  return text === "" ? "" : `${text.replace(/^\./, "")}: `;
}
