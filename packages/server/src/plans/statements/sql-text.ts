import { templateTokens, type Token } from "@steward/schema/sql";
import type { Dialect } from "../../governance/index.js";
import { markupEnd } from "./placeholder.js";

/** The tokens of a statement with placeholders; their concatenation is the text. */
export function tokenize(sql: string, dialect: Dialect): readonly Token[] {
  return templateTokens(sql, { dialect, markupStart: "{{", markupEnd });
}
