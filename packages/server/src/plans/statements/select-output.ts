import { AppError } from "@steward/kernel/errors.js";
import type { Bind, PathSegment } from "./compiled-statement.js";
import type { JsonSlice } from "./json-slice.js";
import { pathText, placeholderText } from "./placeholder.js";
import { cellTypeOf, innerTypeOf, type CellType, type ColumnType } from "./step-output.js";

/** One value of an output. */
export interface Cell {
  readonly json: JsonSlice;
  /** `undefined` when the JSON alone is sufficient. */
  readonly type: CellType | undefined;
}

/** The value that a placeholder refers to. */
export type Selected =
  | { readonly kind: "cell"; readonly cell: Cell }
  | { readonly kind: "list"; readonly cells: readonly Cell[] }
  /** Rows, or a single row when `row` is set. */
  | {
      readonly kind: "rows";
      readonly json: JsonSlice;
      readonly row: number | undefined;
      readonly types: ColumnTypes;
    };

/** The types of an output's columns, by name. */
export type ColumnTypes = ReadonlyMap<string, ColumnType>;

/** Columns of a row that a message names. */
const COLUMNS_NAMED_MAX = 20;

/**
 * The value at the end of a placeholder's path in an output.
 * @throws AppError `STEP_FAILED` naming the placeholder whose path does not exist; `details`
 * describes
 *   what exists instead, without values.
 */
export function selectOutput(root: JsonSlice, types: ColumnTypes, bind: Bind): Selected {
  const [first, ...rest] = bind.path;
  const each = bind.path.findIndex(({ kind }) => kind === "each");
  if (first === undefined || (each === 0 && rest.length === 0)) {
    return { kind: "rows", json: root, row: undefined, types };
  }
  if (first.kind === "index" && rest.length === 0) {
    const json = walk({ json: root, type: undefined }, bind.path, { bind, types }).json;
    return { kind: "rows", json, row: first.index, types };
  }
  const start = { json: root, type: undefined };
  if (each < 0) return { kind: "cell", cell: walk(start, bind.path, { bind, types }) };
  const above = bind.path.slice(0, each);
  const below = bind.path.slice(each + 1);
  const list = walk(start, above, { bind, types });
  if (list.json.kind !== "array") {
    throw missing(bind, `${describe(list.json, above, bind)}, not a list`);
  }
  const cells = list.json.elements.map((json, index) => {
    const at = [...above, { kind: "index", index } as const];
    return walk(reach(json, at, list, types), below, { bind, types, at });
  });
  return { kind: "list", cells };
}

/** Context of a walk along a path. */
interface Walk {
  readonly bind: Bind;
  readonly types: ColumnTypes;
  /** The path to the start of the walk (default: the root). */
  readonly at?: readonly PathSegment[];
}

function walk(from: Cell, path: readonly PathSegment[], { bind, types, at = [] }: Walk): Cell {
  let cell = from;
  path.forEach((segment, depth) => {
    const next = child(cell.json, segment);
    if (next === undefined) {
      const found = describe(cell.json, [...at, ...path.slice(0, depth)], bind);
      const choose = cell.json.kind === "array" && segment.kind === "member";
      throw missing(bind, choose ? `${found}; choose one with [0] or all with [*]` : found);
    }
    cell = reach(next, [...at, ...path.slice(0, depth + 1)], cell, types);
  });
  return cell;
}

/** The value at the end of a path, with its type. @param outer the type of the enclosing value. */
function reach(
  json: JsonSlice,
  path: readonly PathSegment[],
  outer: Cell,
  types: ColumnTypes,
): Cell {
  const [row, column] = path;
  if (row?.kind !== "index" || column === undefined) return { json, type: undefined };
  if (path.length > 2) return { json, type: innerTypeOf(outer.type, json.kind === "array") };
  const type = column.kind === "member" ? types.get(column.name) : undefined;
  return { json, type: cellTypeOf(type, row.index) };
}

function child(json: JsonSlice, segment: PathSegment): JsonSlice | undefined {
  switch (segment.kind) {
    case "index":
      return json.elements[segment.index];
    case "member":
      return json.member(segment.name);
    case "each":
      return undefined;
  }
}

function missing(bind: Bind, instead: string): AppError {
  return new AppError("STEP_FAILED", `${placeholderText(bind)} does not exist: ${instead}`, {
    details: [{ field: placeholderText(bind), reason: instead }],
  });
}

/** Describes the value at a position in an output by sizes and names, without values. */
function describe(json: JsonSlice, path: readonly PathSegment[], bind: Bind): string {
  const [first] = path;
  const root = path.length === 0;
  const place = root
    ? `the output of step ${bind.stepId}`
    : first?.kind === "index" && path.length === 1
      ? `row ${String(first.index)}`
      : `output${pathText(path)}`;
  switch (json.kind) {
    case "array":
      return `${place} has ${counted(json.elements.length, root ? "row" : "element")}`;
    case "object":
      return `${place} has ${named([...json.members.keys()])}`;
    case "null":
      return `${place} is null`;
    default:
      return `${place} is a ${json.kind}`;
  }
}

function counted(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function named(names: readonly string[]): string {
  if (names.length === 0) return "no columns";
  const more = names.length - COLUMNS_NAMED_MAX;
  const shown = names.slice(0, COLUMNS_NAMED_MAX).join(", ");
  return more > 0 ? `${shown} and ${String(more)} more` : shown;
}
