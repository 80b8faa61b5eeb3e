import { CONSTRAINTS } from "./constraints.js";
import type { SchemaDifference } from "./difference.js";
import { INDEXES } from "./indexes.js";
import { OPAQUE, OTHERS } from "./others.js";
import { PARTITIONED } from "./partitions.js";
import { COLUMNS, TABLES } from "./tables.js";

export type { SchemaDifference } from "./difference.js";
export { REFUSED_DIFFERENCES } from "./refused.js";

/** Differences that a migration can resolve in both directions. */
export const SCHEMA_DIFFERENCES: readonly SchemaDifference[] = [
  ...[INDEXES, PARTITIONED, CONSTRAINTS, COLUMNS, TABLES, OTHERS, OPAQUE].flat(),
];
