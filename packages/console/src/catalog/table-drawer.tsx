import type { CatalogTable } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Code } from "../code/code.js";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { catalogTexts } from "../texts/catalog.js";
import { AgentText } from "../ui/agent-text.js";
import { Drawer } from "../ui/drawer.js";
import { Loaded } from "../ui/loaded.js";
import { Skeleton } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Tabs } from "../ui/tabs.js";
import { TableRights } from "./table-rights.js";

const BoxGraph = lazyPart(() => import("../graph/box-graph.js"));

const PLACEHOLDER_ROWS = 4;
/** Columns of a table that the diagram shows; the list has all of them. */
const DRAWN_COLUMNS_MAX = 8;
/** Tokens of the text that an agent would be given. */
const SAMPLE_TOKENS = 4000;

/** One table: its columns, what it is joined with, a sample, and who may read it. */
export function TableDrawer(props: {
  readonly source: string;
  readonly table: string;
  readonly onOpen: (table: string) => void;
  readonly onClose: () => void;
}) {
  const { source, table: name } = props;
  const query = useQuery({
    queryKey: ["catalog", "around", source, name],
    queryFn: ({ signal }) =>
      client.catalog.listTables({ data_source: source, around: name }, { signal }),
  });
  return (
    <Drawer
      label={catalogTexts.detail(name)}
      title={
        <h2 className="truncate text-base font-semibold">
          <AgentText>{name}</AgentText>
        </h2>
      }
      onClose={props.onClose}
    >
      <Loaded query={query}>
        {({ tables }) => {
          const table = tables.find((each) => each.table.toLowerCase() === name.toLowerCase());
          if (table === undefined) return null;
          return (
            <Tabs
              label={catalogTexts.parts}
              tabs={[
                {
                  id: "columns",
                  title: catalogTexts.columns,
                  content: <Columns table={table} />,
                },
                {
                  id: "relations",
                  title: catalogTexts.relations,
                  content: <Relations table={table} tables={tables} onOpen={props.onOpen} />,
                },
                {
                  id: "sample",
                  title: catalogTexts.sample,
                  content: <Sample source={source} table={name} />,
                },
                {
                  id: "rights",
                  title: catalogTexts.rights,
                  content: <TableRights source={source} table={table} />,
                },
              ]}
            />
          );
        }}
      </Loaded>
    </Drawer>
  );
}

function Columns({ table }: { readonly table: CatalogTable }) {
  const { columnColumns: titles } = catalogTexts;
  return (
    <>
      {table.description !== undefined && (
        <p className="mb-3 text-sm text-muted">
          <AgentText>{table.description}</AgentText>
        </p>
      )}
      <Table
        label={catalogTexts.columns}
        rows={table.columns}
        keyOf={({ name }) => name}
        columns={[
          {
            title: titles.name,
            cell: ({ name }) => <AgentText className="font-medium">{name}</AgentText>,
          },
          {
            title: titles.type,
            cell: ({ type, not_null: notNull }) => (
              <span className="font-mono text-xs">
                <AgentText>{type}</AgentText>
                {notNull && <span className="text-muted"> {catalogTexts.notNull}</span>}
              </span>
            ),
          },
          {
            title: titles.key,
            cell: ({ name }) => <AgentText>{keysOf(table, name).join(", ")}</AgentText>,
          },
          {
            title: titles.about,
            cell: ({ description }) => <AgentText className="text-muted">{description}</AgentText>,
          },
        ]}
      />
    </>
  );
}

function keysOf({ primary_key: primary, foreign_keys: foreign }: CatalogTable, column: string) {
  return [
    ...(primary.includes(column) ? [catalogTexts.primary] : []),
    ...foreign
      .filter(({ columns }) => columns.includes(column))
      .map(({ table }) => catalogTexts.refersTo(table)),
  ];
}

function Relations(props: {
  readonly table: CatalogTable;
  readonly tables: readonly CatalogTable[];
  readonly onOpen: (table: string) => void;
}) {
  const { table: middle, tables } = props;
  const { relationColumns: titles } = catalogTexts;
  const relations = tables.flatMap(({ table: from, foreign_keys: keys }) =>
    keys
      .filter(({ table: to }) => from === middle.table || to === middle.table)
      .map(({ table: to, columns }) => ({ from, to, text: columns.join(", ") })),
  );
  if (relations.length === 0) {
    return <p className="text-sm text-muted">{catalogTexts.noRelations}</p>;
  }
  return (
    <div className="flex flex-col gap-4">
      <Suspense fallback={<Skeleton rows={PLACEHOLDER_ROWS} />}>
        <BoxGraph
          label={catalogTexts.diagram}
          boxes={tables.map((table) => ({
            id: table.table,
            title: table.table,
            lines: linesOf(table),
          }))}
          arrows={relations}
          chosen={middle.table}
          onOpen={props.onOpen}
        />
      </Suspense>
      <Table
        label={catalogTexts.relations}
        rows={relations}
        keyOf={({ from, to, text }) => `${from} ${to} ${text}`}
        columns={[
          { title: titles.from, cell: ({ from }) => <AgentText>{from}</AgentText> },
          { title: titles.to, cell: ({ to }) => <AgentText>{to}</AgentText> },
          { title: titles.by, cell: ({ text }) => <AgentText>{text}</AgentText> },
        ]}
      />
    </div>
  );
}

function linesOf({ columns }: CatalogTable): readonly string[] {
  const drawn = columns.slice(0, DRAWN_COLUMNS_MAX).map(({ name, type }) => `${name} ${type}`);
  return columns.length > DRAWN_COLUMNS_MAX ? [...drawn, "…"] : drawn;
}

function Sample({ source, table }: { readonly source: string; readonly table: string }) {
  const query = useQuery({
    queryKey: ["catalog", "description", source, table],
    queryFn: ({ signal }) =>
      client.catalog.describeTable(
        { data_source: source, table, token_budget: SAMPLE_TOKENS },
        { signal },
      ),
  });
  return (
    <>
      <p className="mb-3 text-sm text-muted">{catalogTexts.sampleHint}</p>
      <Loaded query={query}>{({ text }) => <Code text={text} />}</Loaded>
    </>
  );
}
