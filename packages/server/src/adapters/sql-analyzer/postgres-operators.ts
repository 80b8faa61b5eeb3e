/**
 * Whether an operator is PostgreSQL's own. One of these names that the owner of a database has given
 * operands of other types counts as its own too: it belongs to those types, as their casts and checks do.
 * @param name as the parser gives it: schema and name, or only the name.
 */
export function isBuiltInOperator(name: readonly string[]): boolean {
  const [base = "", schema = "pg_catalog"] = [...name].reverse();
  return schema === "pg_catalog" && BUILT_IN.has(base);
}

/** Those of PostgreSQL 14 to 18. None of them does more than compute. */
const BUILT_IN: ReadonlySet<string> = new Set(
  `!! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / <
  <-> << <<= <<| <= <> <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&>
  |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~ ~~ ~~*`.split(/\s+/),
);
