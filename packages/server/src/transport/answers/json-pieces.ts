import { jsonSize } from "@steward/kernel/json-size.js";
import * as z from "zod";
import { ANSWER_PIECE_BYTES } from "../limits.js";

/**
 * The JSON of a value in pieces that take little time each. Together they are what `JSON.stringify` makes of the whole.
 * @param schema that encodes and checks the value, piece by piece; absent: the value is JSON as it is.
 * @throws ZodError when the schema does not describe the value.
 */
export function* jsonPieces(value: unknown, schema?: z.ZodType): Generator<string, void> {
  if (jsonSize(value, ANSWER_PIECE_BYTES) < ANSWER_PIECE_BYTES) {
    yield JSON.stringify(schema === undefined ? value : z.encode(schema, value));
  } else if (typeof value === "string") {
    yield* textPieces(schema === undefined ? value : String(z.encode(schema, value)));
  } else if (schema === undefined) {
    yield* Array.isArray(value) ? listPieces(value) : memberPieces(membersOf(value));
  } else {
    yield* describedPieces(value, schema);
  }
}

function* describedPieces(value: unknown, schema: z.ZodType): Generator<string, void> {
  const inner = unwrapped(schema);
  const isChecked = (inner.def.checks?.length ?? 0) > 0;
  if (inner instanceof z.ZodArray && Array.isArray(value) && !isChecked) {
    yield* listPieces(value, inner.element as z.ZodType);
  } else if (inner instanceof z.ZodObject && isObject(value) && !isChecked && isOpen(inner)) {
    yield* memberPieces(describedMembers(value, inner.shape));
  } else {
    // Only the text of what the schema makes of it can be made in pieces.
    yield* jsonPieces(z.encode(schema, value));
  }
}

function* listPieces(list: readonly unknown[], element?: z.ZodType): Generator<string, void> {
  let before = "[";
  for (const item of list) {
    yield before;
    yield* jsonPieces(item, element);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** The members of a value that is neither a list nor small. */
function membersOf(value: unknown): readonly Member[] {
  return Object.entries(value as object);
}

type Member = readonly [name: string, value: unknown, schema?: z.ZodType];

function* memberPieces(members: Iterable<Member>): Generator<string, void> {
  let before = "{";
  for (const [name, value, schema] of members) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(value, schema);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** The members that a schema has, in its order. Others are left out, as by the schema itself. */
function* describedMembers(
  object: object,
  shape: Readonly<Record<string, z.ZodType>>,
): Generator<Member, void> {
  for (const [name, schema] of Object.entries(shape)) {
    const value: unknown = Reflect.get(object, name);
    if (value !== undefined) yield [name, value, schema];
    // A member that must be there, or that may be absent but not undefined.
    else if (name in object || schema._zod.optin !== "optional") z.encode(schema, value);
  }
}

/** A text is cut where no pair of surrogates is. */
function* textPieces(text: string): Generator<string, void> {
  yield '"';
  for (let from = 0; from < text.length;) {
    const to = from + ANSWER_PIECE_BYTES;
    const end = /[\ud800-\udbff]/.test(text.charAt(to - 1)) ? to + 1 : to;
    yield JSON.stringify(text.slice(from, end)).slice(1, -1);
    from = end;
  }
  yield '"';
}

/** The schema within those that only say that a value may be absent, null or is not changed. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const { def } = schema;
  if (schema instanceof z.ZodLazy) return unwrapped(schema.def.getter() as z.ZodType);
  return "innerType" in def && def.innerType instanceof z.ZodType
    ? unwrapped(def.innerType)
    : schema;
}

/** Whether members that the schema does not have are left out, and not refused or kept. */
function isOpen({ def }: z.ZodObject): boolean {
  return def.catchall === undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
