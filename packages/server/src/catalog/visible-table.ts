import { present } from "../kernel/present.js";
import { type CatalogTable, columnsOfMetric } from "./catalog-table.js";
import type { VisibleColumns } from "./visible-parts.js";

/**
 * A table as a caller sees it who may read some of its columns: keys over and metrics of
 * hidden columns, and foreign keys to hidden tables or columns, are left out.
 * @param others the visible columns of each table that the caller may read, by table.
 */
export function visibleTable(
  table: CatalogTable,
  columns: NonNullable<VisibleColumns>,
  others: ReadonlyMap<string, NonNullable<VisibleColumns>>,
): CatalogTable {
  const areVisible = (names: readonly string[]): boolean =>
    names.every((name) => columns.has(name));
  return {
    ...table,
    ...present({
      metrics: table.metrics?.filter((metric) => areVisible(columnsOfMetric(metric, table))),
    }),
    columns: table.columns.filter(({ name }) => columns.has(name)),
    primaryKey: areVisible(table.primaryKey) ? table.primaryKey : [],
    uniqueKeys: table.uniqueKeys.filter(areVisible),
    foreignKeys: table.foreignKeys.filter((key) => {
      const target = others.get(key.target);
      const isTargetVisible = key.targetColumns.every((name) => target?.has(name) === true);
      return target !== undefined && isTargetVisible && areVisible(key.columns);
    }),
  };
}
