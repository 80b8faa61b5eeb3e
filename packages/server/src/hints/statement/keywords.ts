/** Words that are no names where a query may have one. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "all and any as asc between by case cast collate cross current_date current_time current_timestamp delete desc " +
    "distinct else end escape except exists false fetch filter for from full glob group having ilike in inner insert " +
    "intersect interval into is isnull join lateral left like limit natural not notnull null nulls offset on only or " +
    "order outer over partition returning right select set similar some tablesample then true union update using " +
    "values when where window with"
  ).split(" "),
);

/** Functions that make one value of many rows. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  "avg count max min sum total group_concat string_agg array_agg json_agg jsonb_agg json_group_array bool_and bool_or every".split(
    " ",
  ),
);
