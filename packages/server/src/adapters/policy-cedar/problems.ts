import { type DetailedError, validate } from "@cedar-policy/cedar-wasm/nodejs";
import type { PolicyProblem } from "../../policies/ports.js";

/** The problems of a policy text: syntax errors, otherwise violations of the schema. */
export function problemsIn(text: string, schema: string): readonly PolicyProblem[] {
  const answer = validate({ schema, policies: { staticPolicies: text } });
  if (answer.type === "failure") return answer.errors.map((error) => problemOf(error, text));
  const found = [...answer.validationErrors, ...answer.validationWarnings].map(({ error }) =>
    problemOf(error, text),
  );
  return withoutRepetition(found);
}

const START = { line: 1, column: 1 };

function problemOf(error: DetailedError, text: string): PolicyProblem {
  const [location] = error.sourceLocations ?? [];
  const label = location?.label;
  const message = [plain(error.message), label, error.help]
    .filter((part) => part !== null && part !== undefined && part !== "")
    .join(": ");
  return { message, ...(location === undefined ? START : placeAt(text, location.start)) };
}

/** Removes Cedar's generated policy name from a message; the position is more useful. */
function plain(message: string): string {
  return message
    .replace(/^failed to parse policies from string: /, "")
    .replace(/^for policy `[^`]*`, /, "");
}

/** @param offset in bytes of UTF-8. */
function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = Buffer.from(text).subarray(0, offset).toString();
  const lines = before.split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/**
 * Removes duplicates: Cedar reports a problem for every type of principal and resource to which a
 * policy applies.
 */
function withoutRepetition(problems: readonly PolicyProblem[]): readonly PolicyProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ line, column }) => {
    const place = `${String(line)}:${String(column)}`;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}
