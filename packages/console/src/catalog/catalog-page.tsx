import type { CatalogTable } from "@steward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Database } from "lucide-react";
import { client } from "../data/client.js";
import { catalogTexts } from "../texts/catalog.js";
import { AgentText } from "../ui/agent-text.js";
import { Choices } from "../ui/facets.js";
import { SearchField } from "../ui/field.js";
import { Loaded, ShowMore } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import { Empty } from "../ui/states.js";
import { Table } from "../ui/table.js";
import type { CatalogSearch } from "./catalog-search.js";
import { TableDrawer } from "./table-drawer.js";

const ICON = <Database size={26} aria-hidden />;

/** The data that agents can reach: sources, tables, and one table in detail. */
export default function CatalogPage() {
  const query = useQuery({
    queryKey: ["catalog", "listing"],
    queryFn: ({ signal }) => client.catalog.listCatalog({}, { signal }),
  });
  return (
    <Page title={catalogTexts.title} subtitle={catalogTexts.subtitle}>
      <Loaded query={query}>
        {({ data_sources: sources }) => <Sources names={sources.map(({ name }) => name)} />}
      </Loaded>
    </Page>
  );
}

function Sources({ names }: { readonly names: readonly string[] }) {
  const search = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const source = search.source ?? names[0];
  if (source === undefined) {
    return <Empty title={catalogTexts.noSources} hint={catalogTexts.noSourcesHint} icon={ICON} />;
  }
  const show = (next: CatalogSearch) => {
    void navigate({ search: next, replace: true });
  };
  const { q = "", table } = search;
  const listed = { source, ...(q === "" ? {} : { q }) };
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5 md:px-6">
          <Choices
            label={catalogTexts.source}
            chosen={source}
            values={names.map((name) => ({ value: name, text: name }))}
            onChoose={(name) => {
              show({ source: name });
            }}
          />
          <SearchField
            label={catalogTexts.search}
            hint={catalogTexts.searchHint}
            value={q}
            onChange={(name) => {
              show({ source, ...(name === "" ? {} : { q: name }) });
            }}
          />
        </div>
        <Tables
          source={source}
          name={q}
          chosen={table}
          onOpen={(name) => {
            show({ ...listed, table: name });
          }}
        />
      </div>
      {table !== undefined && (
        <TableDrawer
          key={`${source} ${table}`}
          source={source}
          table={table}
          onOpen={(name) => {
            show({ ...listed, table: name });
          }}
          onClose={() => {
            show(listed);
          }}
        />
      )}
    </div>
  );
}

function Tables(props: {
  readonly source: string;
  readonly name: string;
  readonly chosen: string | undefined;
  readonly onOpen: (table: string) => void;
}) {
  const { source, name } = props;
  const query = useInfiniteQuery({
    queryKey: ["catalog", "tables", source, name],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      client.catalog.listTables(
        {
          data_source: source,
          ...(name === "" ? {} : { name }),
          ...(cursor === "" ? {} : { cursor }),
        },
        { signal },
      ),
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const tables = pages.flatMap((page) => page.tables);
        if (tables.length === 0) {
          return (
            <Empty title={catalogTexts.noTables} hint={catalogTexts.noTablesHint} icon={ICON} />
          );
        }
        return (
          <div className="min-h-0 flex-1 overflow-y-auto">
            <TableTable tables={tables} chosen={props.chosen} onOpen={props.onOpen} />
            <ShowMore query={query} text={catalogTexts.more} />
          </div>
        );
      }}
    </Loaded>
  );
}

function TableTable(props: {
  readonly tables: readonly CatalogTable[];
  readonly chosen: string | undefined;
  readonly onOpen: (table: string) => void;
}) {
  const { tableColumns: titles } = catalogTexts;
  return (
    <Table
      label={catalogTexts.tables}
      rows={props.tables}
      keyOf={({ table }) => table}
      isChosen={({ table }) => table === props.chosen}
      onOpen={({ table }) => {
        props.onOpen(table);
      }}
      columns={[
        {
          title: titles.table,
          cell: ({ table }) => (
            <button
              type="button"
              aria-label={catalogTexts.open(table)}
              className="font-medium text-accent"
              onClick={(event) => {
                event.stopPropagation();
                props.onOpen(table);
              }}
            >
              <AgentText>{table}</AgentText>
            </button>
          ),
        },
        { title: titles.kind, cell: ({ kind }) => catalogTexts.kinds[kind] },
        { title: titles.columns, isNumber: true, cell: ({ columns }) => columns.length },
        {
          title: titles.about,
          cell: ({ description }) => <AgentText className="text-muted">{description}</AgentText>,
        },
      ]}
    />
  );
}
