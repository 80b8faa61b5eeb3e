/**
 * Whether an operator is PostgreSQL's own. A user-defined operator with one of these names counts
 * as built-in too: it belongs to its operand types, as their casts and checks do.
 * @param name from the parser: schema and name, or only the name.
 */
export function isBuiltInOperator(name: readonly string[]): boolean {
  const [base = "", schema = "pg_catalog"] = [...name].reverse();
  return schema === "pg_catalog" && BUILT_IN.has(base);
}

/** Operator names of PostgreSQL 14 to 18. All of these operators only compute. */
const BUILT_IN: ReadonlySet<string> = new Set(
  `!! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / <
  <-> << <<= <<| <= <> <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&>
  |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~ ~~ ~~*`.split(/\s+/),
);
