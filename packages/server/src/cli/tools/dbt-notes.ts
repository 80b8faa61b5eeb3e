import * as z from "zod";
import { CATALOG_NOTE_LENGTH_MAX } from "../../catalog/limits.js";

const said = z.string().nullish();

/** A model or a source. */
const tableSchema = z.looseObject({
  resource_type: z.string(),
  name: z.string(),
  alias: said,
  identifier: said,
  schema: said,
  description: said,
  columns: z.record(z.string(), z.looseObject({ name: z.string(), description: said })).default({}),
});

const semanticModelSchema = z.looseObject({
  node_relation: z.looseObject({ alias: z.string(), schema_name: said }).nullish(),
  measures: z
    .array(z.looseObject({ name: z.string(), agg: z.string(), expr: said, description: said }))
    .default([]),
  dimensions: z.array(z.looseObject({ name: z.string(), expr: said })).default([]),
});

const metricSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  description: said,
  filter: z.unknown().optional(),
  type_params: z.looseObject({
    measure: z.looseObject({ name: z.string(), filter: z.unknown().optional() }).nullish(),
  }),
});

/** The parts of dbt's `manifest.json` (schema v12, dbt 1.8) that describe tables and metrics. */
const manifestSchema = z.looseObject({
  nodes: z.record(z.string(), z.unknown()),
  sources: z.record(z.string(), tableSchema).default({}),
  semantic_models: z.record(z.string(), semanticModelSchema).default({}),
  metrics: z.record(z.string(), metricSchema).default({}),
});

type Measure = z.infer<typeof semanticModelSchema>["measures"][number];

/** What the tools file says about a table, with its keys. */
interface TableEntry {
  description?: string;
  columns?: Readonly<Record<string, string>>;
  metrics?: {
    readonly name: string;
    readonly expression: string;
    readonly dimensions: readonly string[];
    readonly description?: string;
  }[];
}

/** What the tools file says about the tables of a dbt project. */
export interface DbtNotes {
  /** By name, as an agent writes it. */
  readonly tables: Readonly<Record<string, TableEntry>>;
  /** Metrics that are not one aggregate of one table, and so cannot be told. */
  readonly skipped: readonly string[];
}

/** The aggregates of measures in SQL. */
const AGGREGATES: Readonly<Record<string, (expression: string) => string>> = {
  sum: (of) => `sum(${of})`,
  min: (of) => `min(${of})`,
  max: (of) => `max(${of})`,
  average: (of) => `avg(${of})`,
  count: (of) => `count(${of})`,
  count_distinct: (of) => `count(DISTINCT ${of})`,
  sum_boolean: (of) => `sum(CASE WHEN ${of} THEN 1 ELSE 0 END)`,
};

/** The schemas whose tables agents name without the schema. */
const BARE_SCHEMAS: ReadonlySet<string> = new Set(["", "public", "main"]);

/**
 * Makes notes of the descriptions and metrics in dbt's `manifest.json`.
 * @throws ZodError when the content is no such manifest.
 */
export function notesOfManifest(content: unknown): DbtNotes {
  const { nodes, sources, semantic_models: models, metrics } = manifestSchema.parse(content);
  const tables = new Map<string, TableEntry>();
  const entryOf = (name: string, schema: string | null | undefined): TableEntry => {
    const table = BARE_SCHEMAS.has(schema ?? "") ? name : `${schema ?? ""}.${name}`;
    const entry = tables.get(table) ?? {};
    tables.set(table, entry);
    return entry;
  };
  const relations = Object.values(nodes).flatMap((node) => {
    const table = tableSchema.safeParse(node).data;
    return table !== undefined && TABLES.has(table.resource_type) ? [table] : [];
  });
  for (const table of [...relations, ...Object.values(sources)]) {
    const described = Object.values(table.columns).flatMap(({ name, description }) =>
      hasText(description) ? [[name, note(description)] as const] : [],
    );
    if (!hasText(table.description) && described.length === 0) continue;
    const entry = entryOf(table.alias ?? table.identifier ?? table.name, table.schema);
    if (hasText(table.description)) entry.description = note(table.description);
    if (described.length > 0) entry.columns = Object.fromEntries(described);
  }
  const skipped: string[] = [];
  for (const { name, description, type, filter, type_params: parameters } of Object.values(
    metrics,
  )) {
    const { measure } = parameters;
    const isPlain = type === "simple" && !isSet(filter) && !isSet(measure?.filter);
    const model = Object.values(models).find(({ measures }) =>
      measures.some((each) => each.name === measure?.name),
    );
    const own = model?.measures.find((each) => each.name === measure?.name);
    const expression = own && expressionOf(own);
    const relation = model?.node_relation ?? undefined;
    if (!isPlain || model === undefined || relation === undefined || expression === undefined) {
      skipped.push(name);
      continue;
    }
    const entry = entryOf(relation.alias, relation.schema_name);
    const meaning = hasText(description) ? description : own?.description;
    entry.metrics = [
      ...(entry.metrics ?? []),
      {
        ...{ name, expression },
        dimensions: model.dimensions
          .map((dimension) => dimension.expr ?? dimension.name)
          .filter((column) => /^\w+$/.test(column)),
        ...(hasText(meaning) ? { description: note(meaning) } : {}),
      },
    ];
  }
  return { tables: Object.fromEntries([...tables].sort()), skipped };
}

/** Kinds of nodes that are tables of the database. */
const TABLES: ReadonlySet<string> = new Set(["model", "seed", "snapshot"]);

function expressionOf({ name, agg, expr }: Measure): string | undefined {
  return AGGREGATES[agg]?.(expr ?? name);
}

function isSet(filter: unknown): boolean {
  return filter !== undefined && filter !== null;
}

function hasText(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text.trim() !== "";
}

function note(text: string): string {
  return text.trim().slice(0, CATALOG_NOTE_LENGTH_MAX);
}
