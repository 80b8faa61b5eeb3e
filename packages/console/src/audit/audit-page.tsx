import type { AuditQuery, AuditRecord } from "@steward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ScrollText, Search } from "lucide-react";
import { useState } from "react";
import { client } from "../data/client.js";
import { auditTexts } from "../texts/audit.js";
import { AgentText } from "../ui/agent-text.js";
import { Button, buttonClass } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { Page } from "../ui/page.js";
import { Loaded, ShowMore } from "../ui/loaded.js";
import { Empty } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import type { AuditFilters } from "./audit-filters.js";
import { CheckpointDialog } from "./checkpoint-dialog.js";
import { entryOf, type RecordEntry } from "./record-entry.js";
import { RecordDrawer } from "./record-drawer.js";

const PLACEHOLDER_ROWS = 8;
const PAGE_RECORDS = 50;

/** The audit log: searched, looked at record by record, verified in this browser. */
export default function AuditPage() {
  const { record, ...filters } = useSearch({ from: "/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const [showsCheckpoint, setShowsCheckpoint] = useState(false);
  const show = (search: AuditFilters) => {
    void navigate({ search, replace: true });
  };
  return (
    <Page
      title={auditTexts.title}
      subtitle={auditTexts.subtitle}
      actions={
        <Button
          onClick={() => {
            setShowsCheckpoint(true);
          }}
        >
          {auditTexts.checkpoint}
        </Button>
      }
    >
      <div className="flex h-full min-h-0">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <SearchForm key={JSON.stringify(filters)} filters={filters} onSearch={show} />
          <Records
            filters={filters}
            chosen={record}
            onOpen={(index) => {
              show({ ...filters, record: index });
            }}
          />
        </div>
        {record !== undefined && (
          <RecordDrawer
            key={record}
            index={record}
            onClose={() => {
              show(filters);
            }}
          />
        )}
      </div>
      {showsCheckpoint && (
        <CheckpointDialog
          onClose={() => {
            setShowsCheckpoint(false);
          }}
        />
      )}
    </Page>
  );
}

function SearchForm(props: {
  readonly filters: AuditFilters;
  readonly onSearch: (filters: AuditFilters) => void;
}) {
  const { kind = "", subject = "", from = "", until = "" } = props.filters;
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget);
        const fields = ["kind", "subject", "from", "until"].flatMap((name) => {
          const value = typed.get(name);
          return typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [];
        });
        props.onSearch(Object.fromEntries(fields) as AuditFilters);
      }}
      className="flex flex-wrap items-end gap-2 border-b px-4 py-3 md:px-6"
    >
      <div className="min-w-36 flex-1">
        <Field
          id="audit-kind"
          name="kind"
          label={auditTexts.kind}
          placeholder={auditTexts.kindHint}
          defaultValue={kind}
        />
      </div>
      <div className="min-w-36 flex-1">
        <Field
          id="audit-subject"
          name="subject"
          label={auditTexts.subject}
          placeholder={auditTexts.subjectHint}
          defaultValue={subject}
        />
      </div>
      <Field id="audit-from" name="from" type="date" label={auditTexts.from} defaultValue={from} />
      <Field
        id="audit-until"
        name="until"
        type="date"
        label={auditTexts.until}
        defaultValue={until}
      />
      <Button type="submit" look="primary">
        <Search size={15} aria-hidden />
        {auditTexts.find}
      </Button>
    </form>
  );
}

function Records(props: {
  readonly filters: AuditFilters;
  readonly chosen: number | undefined;
  readonly onOpen: (index: number) => void;
}) {
  const { filters, chosen, onOpen } = props;
  const query = useInfiniteQuery({
    queryKey: ["audit", "records", filters],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      client.audit.listAuditRecords(
        { ...queryOf(filters), limit: PAGE_RECORDS, ...(cursor === "" ? {} : { cursor }) },
        { signal },
      ),
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  return (
    <Loaded query={query} rows={PLACEHOLDER_ROWS}>
      {({ pages }) => {
        const records = pages.flatMap((page) => page.records);
        if (records.length === 0) return <NoRecords hasFilters={Object.keys(filters).length > 0} />;
        return (
          <div className="min-h-0 flex-1 overflow-y-auto">
            <RecordTable records={records} chosen={chosen} onOpen={onOpen} />
            <ShowMore query={query} text={auditTexts.more} />
          </div>
        );
      }}
    </Loaded>
  );
}

function RecordTable(props: {
  readonly records: readonly AuditRecord[];
  readonly chosen: number | undefined;
  readonly onOpen: (index: number) => void;
}) {
  const { columns } = auditTexts;
  const rows = props.records.map((record) => ({ record, entry: entryOf(record.entry) }));
  return (
    <Table
      label={auditTexts.records}
      rows={rows}
      keyOf={({ record }) => String(record.index)}
      isChosen={({ record }) => record.index === props.chosen}
      onOpen={({ record }) => {
        props.onOpen(record.index);
      }}
      columns={[
        {
          title: columns.index,
          isNumber: true,
          cell: ({ record: { index } }) => (
            <button
              type="button"
              aria-label={auditTexts.open(index)}
              className="text-accent tabular-nums underline"
              onClick={(event) => {
                event.stopPropagation();
                props.onOpen(index);
              }}
            >
              {index}
            </button>
          ),
        },
        { title: columns.at, cell: ({ entry: { at } }) => at && <Time at={at} /> },
        { title: columns.kind, cell: ({ entry: { kind } }) => <AgentText>{kind}</AgentText> },
        {
          title: columns.by,
          cell: ({ record, entry }) => <AgentText>{whoDid(entry, record.values)}</AgentText>,
        },
        {
          title: columns.subject,
          cell: ({ entry: { subject } }) => (
            <AgentText className="font-mono text-xs">{subject}</AgentText>
          ),
        },
      ]}
    />
  );
}

function NoRecords({ hasFilters }: { readonly hasFilters: boolean }) {
  const icon = <ScrollText size={26} aria-hidden />;
  if (!hasFilters) {
    return <Empty title={auditTexts.empty} hint={auditTexts.emptyHint} icon={icon} />;
  }
  return (
    <Empty title={auditTexts.noMatch} hint={auditTexts.noMatchHint} icon={icon}>
      <Link to="/audit" className={buttonClass()}>
        {auditTexts.clear}
      </Link>
    </Empty>
  );
}

/** Who asked for it, in words; a person by name as long as the name is not erased. */
function whoDid({ by }: RecordEntry, values: Readonly<Record<string, string>> = {}): string {
  if (by === undefined) return auditTexts.nobody;
  const kinds: Readonly<Record<string, string>> = auditTexts.parties;
  return values["by.agent"] ?? values["by.user"] ?? by.key ?? kinds[by.kind ?? ""] ?? "";
}

/** Days of the address as moments of the API, in UTC. */
function queryOf({ kind, subject, from, until }: AuditFilters): AuditQuery {
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(subject === undefined ? {} : { subject }),
    ...(from === undefined ? {} : { from: `${from}T00:00:00Z` }),
    ...(until === undefined ? {} : { until: `${until}T00:00:00Z` }),
  };
}
