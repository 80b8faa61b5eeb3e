import type { DataAccess } from "../../../governance/index.js";

/** What a query does to a relation: by what is done, numbers of columns; 0 stands for all of them. */
export type RelationAccesses = ReadonlyMap<DataAccess, ReadonlySet<number>>;

/** What a query tree says of the relations and functions it uses, by their OIDs. */
export interface TreeContents {
  readonly relations: readonly (readonly [relation: number, accesses: RelationAccesses])[];
  readonly functions: ReadonlySet<number>;
}

/**
 * Reads a query tree in PostgreSQL's own notation (`src/backend/nodes/outfuncs.c`). Before it runs a query, PostgreSQL
 * notes in its tree which rights to which columns of which relation the query needs, joins, whole rows and the
 * definitions of views included: that is what is read here. Names and literals in a tree cannot look like these notes,
 * for their spaces and braces are escaped.
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
  return { relations, functions: new Set(functions) };
}

/** Since version 16 a node of its own, before that a part of each entry of the range table. */
const PERMISSIONS =
  /:relid (\d+) [^{}]*?:requiredPerms (\d+) :checkAsUser \d+ :selectedCols \(b([ \d]*)\) :insertedCols \(b([ \d]*)\) :updatedCols \(b([ \d]*)\)/g;

const FUNCTIONS = /:(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/** Bits of the rights that a query needs (`ACL_INSERT` and so on, PostgreSQL's `parsenodes.h`). */
const RIGHTS = { insert: 1, read: 2, update: 4, delete: 8 } as const;

/** What is added to a column's number in a set of columns (`FirstLowInvalidHeapAttributeNumber`). */
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

/** System columns, whose numbers are negative, hold nothing of a row's values. */
function numbersIn(set: string): ReadonlySet<number> {
  const numbers = set.split(" ").filter((text) => text !== "");
  return new Set(numbers.map((text) => Number(text) - OFFSET).filter((number) => number >= 0));
}
