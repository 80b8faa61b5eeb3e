import { invalidField } from "@steward/kernel/errors.js";
import { shownLine } from "@steward/kernel/shown-text.js";
import {
  type Toolset,
  TOOLSETS_DEFAULT,
  TOOLSETS_SHAPE,
  toolsetsOf,
} from "../../kernel/toolsets.js";

/** What a client chooses by the address of the MCP endpoint. */
export interface McpChoice {
  readonly toolsets: readonly Toolset[];
  /**
   * Whether results have structured content, and the list has output schemas. An LLM reads the text of a
   * result, and some clients pass it the structured content too, which says the same again.
   */
  readonly isStructured: boolean;
}

/** The members of a query string; one that is repeated has several texts. */
export type QueryTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The choice of `/mcp?toolsets=ask,plans&structured=true`.
 * @param offered the operator's setting, which is also what a client gets that chooses nothing; absent:
 *   a client may choose any toolset.
 * @throws AppError `INVALID_ARGUMENT` for an unknown name, and when the operator offers none of those named.
 */
export function choiceOf(query: QueryTexts, offered: readonly Toolset[] | undefined): McpChoice {
  const { toolsets, structured } = query;
  return {
    toolsets:
      toolsets === undefined
        ? (offered ?? TOOLSETS_DEFAULT)
        : chosen([toolsets].flat().join(","), offered),
    isStructured: structured !== undefined && isTrue([structured].flat().join(",")),
  };
}

function chosen(text: string, offered: readonly Toolset[] | undefined): readonly Toolset[] {
  const named = toolsetsOf(text);
  if ("unknown" in named) {
    const names = shownLine(named.unknown.join(", ").slice(0, 64));
    throw invalidField("toolsets", `${names} is no toolset: name ${TOOLSETS_SHAPE}`);
  }
  if (offered === undefined) return named.toolsets;
  const both = named.toolsets.filter((name) => offered.includes(name));
  if (both.length > 0) return both;
  throw invalidField("toolsets", `this server offers only ${offered.join(", ")}`);
}

function isTrue(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw invalidField("structured", "must be true or false");
}
