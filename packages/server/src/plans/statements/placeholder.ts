import { AppError } from "@steward/kernel/errors.js";
import { GIVEN, type OutputRef, type PathSegment } from "./compiled-statement.js";

const HEAD = /\{\{\s*step\.([A-Za-z0-9_-]{1,64})\.output/y;
const CUT = /_(cut)(?![\p{L}\p{N}_$])/uy;
const INDEX = /\s*\[\s*(\d{1,9})\s*\]/y;
const EACH = /\s*\[\s*(\*)\s*\]/y;
const MEMBER = /\s*\.([\p{L}_][\p{L}\p{N}_$]*)/uy;
const QUOTED_MEMBER = /\s*\[\s*("(?:[^"\\]|\\[^])*")\s*\]/y;
const TAIL = /\s*(\}\})/y;

const START = /\{\{\s*step/g;
const WHOLE = /\{\{(?:[^"}]|"(?:[^"\\]|\\[^])*"|\}(?!\}))*\}\}/y;
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;

/** Maximum length of a template's excerpt in a message, in characters. */
const EXCERPT_LENGTH_MAX = 80;

/**
 * Parses a placeholder (Decision §5): `{{step.<id>.output}}`, with any number of `[0]`, `[*]`
 * (once), `.name` and `["any name"]` after `output`, and spaces between them; `output_cut` instead
 * of `output` accepts an output that was cut (Decision §5).
 * @throws AppError `BAD_PLACEHOLDER` that names the expected syntax and the position.
 */
export function parsePlaceholder(markup: string): OutputRef {
  const head = capture(HEAD, markup, 0);
  if (head === undefined) throw malformed(markup, 0, "{{step.<step_id>.output…}}");
  const path: PathSegment[] = [];
  const cut = capture(CUT, markup, head.end);
  let at = cut?.end ?? head.end;
  for (let next = readSegment(markup, at); next !== undefined; next = readSegment(markup, at)) {
    const again = next.segment.kind === "each" && path.some(({ kind }) => kind === "each");
    if (again) throw malformed(markup, at, "no second [*]");
    path.push(next.segment);
    at = next.end;
  }
  const tail = capture(TAIL, markup, at);
  if (tail?.end !== markup.length) {
    throw malformed(markup, at, '[0], [*], .name, ["name"] or }}');
  }
  return { stepId: head.text, path, ...(cut === undefined ? {} : { mayBeCut: true }) };
}

/**
 * The position of the next `{{step`, which is meant as a placeholder. Any other `{{` is plain text
 * in a literal or comment, and an error in code.
 */
export function findPlaceholder(text: string, from = 0): number | undefined {
  START.lastIndex = from;
  return START.exec(text)?.index;
}

/** The end of the `{{…}}` at this position; a `}}` inside a quoted name does not end it. */
export function markupEnd(text: string, at: number): number | undefined {
  WHOLE.lastIndex = at;
  return WHOLE.test(text) ? WHOLE.lastIndex : undefined;
}

/** A `BAD_PLACEHOLDER` error with an excerpt of the template. */
export function badPlaceholder(excerpt: string, reason: string): AppError {
  return new AppError("BAD_PLACEHOLDER", `${shortened(excerpt)} ${reason}`);
}

/** The error for a placeholder at a position where no value can be bound. */
export function misplacedPlaceholder(text: string, start: number, reason: string): AppError {
  return badPlaceholder(text.slice(start, markupEnd(text, start)), reason);
}

/** The text of a placeholder with this meaning. */
export function placeholderText(ref: OutputRef): string {
  if (ref.stepId === GIVEN) return `{{${givenName(ref)}}}`;
  const output = ref.mayBeCut === true ? "output_cut" : "output";
  return `{{step.${ref.stepId}.${output}${pathText(ref.path)}}}`;
}

/** The parameter of a vetted statement whose value is given with it. */
export function givenName({ path }: OutputRef): string {
  const name = path[1];
  return name?.kind === "member" ? name.name : "";
}

/** A path in the syntax of placeholders; empty for the root. */
export function pathText(path: readonly PathSegment[]): string {
  return path.map(segmentText).join("");
}

function segmentText(segment: PathSegment): string {
  switch (segment.kind) {
    case "index":
      return `[${String(segment.index)}]`;
    case "each":
      return "[*]";
    case "member":
      return PLAIN_NAME.test(segment.name)
        ? `.${segment.name}`
        : `[${JSON.stringify(segment.name)}]`;
  }
}

function readSegment(
  markup: string,
  at: number,
): { readonly segment: PathSegment; readonly end: number } | undefined {
  const index = capture(INDEX, markup, at);
  if (index !== undefined) {
    return { segment: { kind: "index", index: Number(index.text) }, end: index.end };
  }
  const each = capture(EACH, markup, at);
  if (each !== undefined) return { segment: { kind: "each" }, end: each.end };
  const member = capture(MEMBER, markup, at);
  if (member !== undefined) {
    return { segment: { kind: "member", name: member.text }, end: member.end };
  }
  const quoted = capture(QUOTED_MEMBER, markup, at);
  const name = quoted === undefined ? undefined : nameIn(quoted.text);
  if (quoted === undefined || name === undefined) return undefined;
  return { segment: { kind: "member", name }, end: quoted.end };
}

/** The name in a JSON string; `undefined` when it has an invalid escape. */
function nameIn(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function malformed(markup: string, at: number, expected: string): AppError {
  const where = at === 0 ? "" : ` at ${shortened(markup.slice(at)) || "its end"}`;
  return badPlaceholder(markup, `is not a placeholder: expected ${expected}${where}`);
}

function shortened(text: string): string {
  return text.length > EXCERPT_LENGTH_MAX ? `${text.slice(0, EXCERPT_LENGTH_MAX)}…` : text;
}

function capture(
  pattern: RegExp,
  text: string,
  at: number,
): { readonly text: string; readonly end: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found?.[1] === undefined ? undefined : { text: found[1], end: pattern.lastIndex };
}
