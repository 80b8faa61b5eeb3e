import type { DataAccess } from "../../../governance/index.js";
import { OWN_OID_MIN } from "./reached-catalog.js";

/** A query's accesses to a relation: column numbers by kind of access; 0 stands for all columns. */
export type RelationAccesses = ReadonlyMap<DataAccess, ReadonlySet<number>>;

/** The relations and functions in a query tree, by OID. */
export interface TreeContents {
  readonly relations: readonly (readonly [relation: number, accesses: RelationAccesses])[];
  readonly functions: ReadonlySet<number>;
  /** System columns whose values differ from run to run, such as `ctid`. */
  readonly systemColumns: ReadonlySet<string>;
  /** Whether it has `CURRENT_TIMESTAMP` or the like, which are no functions. */
  readonly tellsTime: boolean;
  /** Whether it has a constant of a date or time, or of a type of the owner: it may have been the text 'now'. */
  readonly hasTimeConstant: boolean;
  /** Types as which texts are read, by the input functions of the types. */
  readonly inputTypes: ReadonlySet<number>;
  /** User-defined types of its values: the constraints of a domain may call functions. */
  readonly ownTypes: ReadonlySet<number>;
}

/**
 * Parses a query tree in PostgreSQL's notation (`src/backend/nodes/outfuncs.c`). PostgreSQL records
 * in the tree which privileges on which columns the query needs, including joins, whole rows and
 * the definitions of views. This function reads those entries. Names and literals cannot be
 * mistaken for entries, because their spaces and braces are escaped. Any space may be a line break.
 */
export function readQueryTree(tree: string): TreeContents {
  const relations = [...tree.matchAll(PERMISSIONS)].map(
    ([, relation, rights, selected = "", inserted = "", updated = ""]) => {
      const accesses = accessesOf(Number(rights), { selected, inserted, updated });
      return [Number(relation), accesses] as const;
    },
  );
  const functions = [...tree.matchAll(FUNCTIONS)].map(([, oid]) => Number(oid));
  // An identity column draws its value from a sequence without calling the function.
  if (tree.includes("{NEXTVALUEEXPR")) functions.push(NEXTVAL);
  const columns = [...tree.matchAll(COLUMNS)].flatMap(
    ([, n]) => SYSTEM_COLUMNS.get(Number(n)) ?? [],
  );
  const constants = [...tree.matchAll(CONSTANTS)].map(([, type]) => Number(type));
  const inputTypes = [...tree.matchAll(INPUT_TYPES)].map(([, type]) => Number(type));
  const domains = [...tree.matchAll(DOMAINS)].map(([, type]) => Number(type));
  const types = [...constants, ...inputTypes, ...domains];
  return {
    ...{ relations, functions: new Set(functions), tellsTime: PRESENT_TIME.test(tree) },
    systemColumns: new Set(columns),
    hasTimeConstant: constants.some((type) => type >= OWN_OID_MIN || TIMES.has(type)),
    inputTypes: new Set(inputTypes),
    ownTypes: new Set(types.filter((type) => type >= OWN_OID_MIN)),
  };
}

/** Since version 16 a separate node; earlier, a part of each range table entry. */
const PERMISSIONS =
  /:relid\s+(\d+)\s[^{}]*?:requiredPerms\s+(\d+)\s+:checkAsUser\s+\d+\s+:selectedCols\s+\(b([\s\d]*)\)\s+:insertedCols\s+\(b([\s\d]*)\)\s+:updatedCols\s+\(b([\s\d]*)\)/g;

/** The first values of `SQLValueFunctionOp` (PostgreSQL's `primnodes.h`). */
const PRESENT_TIME = /\{SQLVALUEFUNCTION\s+:op\s+[0-8]\s/;

const COLUMNS = /\{VAR\s+:varno\s+\S+\s+:varattno\s+(-\d+)/g;

/** By number (PostgreSQL's `sysattr.h`), without `tableoid`, which is the same in each run. */
const SYSTEM_COLUMNS: ReadonlyMap<number, string> = new Map([
  [-1, "ctid"],
  [-2, "xmin"],
  [-3, "cmin"],
  [-4, "xmax"],
  [-5, "cmax"],
]);

const CONSTANTS = /\{CONST\s+:consttype\s+(\d+)/g;

/** Only the node of a cast by input and output functions has these fields in a row. */
const INPUT_TYPES = /:resulttype\s+(\d+)\s+:resultcollid\s+\d+\s+:coerceformat/g;

/** Only the node of a cast to a domain has a field of this name. */
const DOMAINS =
  /:resulttype\s+(\d+)\s+:resulttypmod\s+-?\d+\s+:resultcollid\s+\d+\s+:coercionformat/g;

/** The OID of `nextval`. */
const NEXTVAL = 1574;

/** Dates and times with the arrays, ranges and multiranges of them, by OID (PostgreSQL's `pg_type.dat`). */
const TIMES: ReadonlySet<number> = new Set([
  ...[1082, 1083, 1114, 1184, 1266, 1182, 1183, 1115, 1185, 1270],
  ...[3912, 3908, 3910, 3913, 3909, 3911, 4533, 4534, 4535, 6152, 6153, 6155],
]);

const FUNCTIONS = /:(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler)\s+(\d+)/g;

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
  const numbers = set.split(/\s+/).filter((text) => text !== "");
  return new Set(numbers.map((text) => Number(text) - OFFSET).filter((number) => number >= 0));
}
