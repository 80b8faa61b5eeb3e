import type { DataAccess } from "../../../governance/index.js";

/** A query's accesses to a relation: column numbers by kind of access; 0 stands for all columns. */
export type RelationAccesses = ReadonlyMap<DataAccess, ReadonlySet<number>>;

/** The relations and functions in a query tree, by OID. */
export interface TreeContents {
  readonly relations: readonly (readonly [relation: number, accesses: RelationAccesses])[];
  readonly functions: ReadonlySet<number>;
  /** Whether it has `CURRENT_TIMESTAMP` or the like, which are no functions. */
  readonly tellsTime: boolean;
}

/**
 * Parses a query tree in PostgreSQL's notation (`src/backend/nodes/outfuncs.c`). PostgreSQL records
 * in the tree which privileges on which columns the query needs, including joins, whole rows and
 * the definitions of views. This function reads those entries. Names and literals cannot be
 * mistaken for entries, because their spaces and braces are escaped.
 */
export function readQueryTree(tree: string): TreeContents {
  const text = tree.replaceAll(/\s+/g, " ");
  const relations = [...text.matchAll(PERMISSIONS)].map(
    ([, relation, rights, selected = "", inserted = "", updated = ""]) => {
      const accesses = accessesOf(Number(rights), { selected, inserted, updated });
      return [Number(relation), accesses] as const;
    },
  );
  const functions = [...text.matchAll(FUNCTIONS)].map(([, oid]) => Number(oid));
  return { relations, functions: new Set(functions), tellsTime: PRESENT_TIME.test(text) };
}

/** Since version 16 a separate node; earlier, a part of each range table entry. */
const PERMISSIONS =
  /:relid (\d+) [^{}]*?:requiredPerms (\d+) :checkAsUser \d+ :selectedCols \(b([ \d]*)\) :insertedCols \(b([ \d]*)\) :updatedCols \(b([ \d]*)\)/g;

/** The first values of `SQLValueFunctionOp` (PostgreSQL's `primnodes.h`). */
const PRESENT_TIME = /\{SQLVALUEFUNCTION :op [0-8] /;

const FUNCTIONS = /:(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/** Bits of the required privileges (`ACL_INSERT` and so on, PostgreSQL's `parsenodes.h`). */
const RIGHTS = { insert: 1, read: 2, update: 4, delete: 8 } as const;

/** Offset of column numbers in a set of columns (`FirstLowInvalidHeapAttributeNumber`). */
const OFFSET = 7;

function accessesOf(
  rights: number,
  columns: { readonly selected: string; readonly inserted: string; readonly updated: string },
): RelationAccesses {
  const sets = {
    ...{ read: columns.selected, insert: columns.inserted, update: columns.updated, delete: "" },
  };
  const accesses = new Map<DataAccess, ReadonlySet<number>>();
  for (const [access, right] of Object.entries(RIGHTS)) {
    if ((rights & right) === 0) continue;
    // The keys are those of RIGHTS.
    const name = access as keyof typeof RIGHTS;
    accesses.set(name, numbersIn(sets[name]));
  }
  return accesses;
}

/** System columns have negative numbers, and contain no values of a row. */
function numbersIn(set: string): ReadonlySet<number> {
  const numbers = set.split(" ").filter((text) => text !== "");
  return new Set(numbers.map((text) => Number(text) - OFFSET).filter((number) => number >= 0));
}
