import { isLiteral, templateTokens } from "@steward/schema/sql";

/**
 * A statement without the values that it contains: each literal is a question mark, and comments are
 * left out. Names and placeholders stay, so that a reader sees which tables and columns it used.
 * @param statement as it was submitted.
 * @returns `undefined` when the dialects disagree about where a literal ends: a record does not tell
 * the dialect, and the wrong one could show a value.
 */
export function statementShape(statement: string): string | undefined {
  const shape = shapeIn(statement, "postgres");
  return shape === shapeIn(statement, "sqlite") ? shape : undefined;
}

function shapeIn(statement: string, dialect: "sqlite" | "postgres"): string {
  return templateTokens(statement, { dialect, markupStart: "{{", markupEnd })
    .map((token) => {
      if (token.type === "comment" || token.type === "blank") return " ";
      return isLiteral(token) ? "?" : token.text;
    })
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

function markupEnd(text: string, at: number): number | undefined {
  const end = text.indexOf("}}", at);
  return end < 0 ? undefined : end + 2;
}
