import type { ToolState } from "../../app/mcp-pins.js";

/** What there is to accept of a tool: its definition, or each member that changed, before and after. */
export function definitionLines({ name, state, pinned, offered }: ToolState): readonly string[] {
  const members = ["description", "inputSchema", "outputSchema"] as const;
  const lines = members.flatMap((member) => {
    const [before, after] = [shown(pinned?.[member]), shown(offered?.[member])];
    if (state !== "changed") return after === "" ? [] : [`  ${member}: ${after}`];
    if (before === after) return [];
    return [`- ${member}: ${before || "none"}`, `+ ${member}: ${after || "none"}`];
  });
  return ["", name, ...lines];
}

/**
 * A server's text or schema on a terminal. Characters that one cannot see are written as escapes,
 * because a description may hide instructions for an LLM in them.
 */
function shown(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/\p{C}/gu, (character) =>
    character === "\n" ? "\n    " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
