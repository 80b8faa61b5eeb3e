import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Brain, Search } from "lucide-react";
import { useState } from "react";
import { client } from "../data/client.js";
import { memoryTexts } from "../texts/memory.js";
import { Button } from "../ui/button.js";
import { Choices } from "../ui/facets.js";
import { Field } from "../ui/field.js";
import { Page } from "../ui/page.js";
import { Empty, Failure, Skeleton } from "../ui/states.js";
import { EntryDialog } from "./entry-dialog.js";
import { EntryRow } from "./entry-row.js";
import type { MemoryFilters } from "./memory-filters.js";
import { Retention } from "./retention.js";

const PLACEHOLDER_ROWS = 8;
const RESULTS_MAX = 50;
/** Digits of a score that mean something to a person. */
const SCORE_DIGITS = 3;

/** The page of memory, where entries are searched by meaning, read and deleted. */
export default function MemoryPage() {
  const filters = useSearch({ from: "/memory" });
  const navigate = useNavigate({ from: "/memory" });
  const show = (search: MemoryFilters) => {
    void navigate({ search, replace: true });
  };
  const stats = useQuery({
    queryKey: ["memory", "stats"],
    queryFn: ({ signal }) => client.memory.getMemoryStats({}, { signal }),
  });
  const { entry, ...others } = filters;
  const open = (id: string) => {
    show({ ...others, entry: id });
  };
  return (
    <Page
      title={memoryTexts.title}
      subtitle={stats.data && memoryTexts.subtitle(stats.data.entries, stats.data.model)}
    >
      <SearchForm key={filters.q} filters={others} onSearch={show} />
      {filters.q === undefined ? (
        <Newest onOpen={open} />
      ) : (
        <Results query={filters.q} filters={others} onOpen={open} />
      )}
      <Retention />
      {entry !== undefined && (
        <EntryDialog
          entryId={entry}
          onClose={() => {
            show(others);
          }}
        />
      )}
    </Page>
  );
}

function SearchForm(props: {
  readonly filters: MemoryFilters;
  readonly onSearch: (filters: MemoryFilters) => void;
}) {
  const { filters, onSearch } = props;
  const [typed, setTyped] = useState(filters.q ?? "");
  const [tool, setTool] = useState(filters.tool ?? "");
  const [session, setSession] = useState(filters.session ?? "");
  const search = (explain: boolean) => {
    onSearch({
      ...(typed.trim() === "" ? {} : { q: typed.trim() }),
      ...(tool === "" ? {} : { tool }),
      ...(session === "" ? {} : { session }),
      ...(explain ? { explain: true } : {}),
    });
  };
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(filters.explain === true);
      }}
      className="flex flex-wrap items-end gap-2 border-b px-4 py-3 md:px-6"
    >
      <div className="min-w-0 flex-1 basis-64">
        <Field
          id="memory-search"
          type="search"
          label={memoryTexts.search}
          placeholder={memoryTexts.searchHint}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
          }}
        />
      </div>
      <div className="w-36">
        <Field
          id="memory-tool"
          label={memoryTexts.tool}
          value={tool}
          onChange={(event) => {
            setTool(event.target.value);
          }}
        />
      </div>
      <div className="w-36">
        <Field
          id="memory-session"
          label={memoryTexts.session}
          value={session}
          onChange={(event) => {
            setSession(event.target.value);
          }}
        />
      </div>
      <Button type="submit" look="primary">
        <Search size={15} aria-hidden />
        {memoryTexts.find}
      </Button>
      {filters.q !== undefined && (
        <Choices
          label={memoryTexts.ranking}
          chosen={filters.explain === true ? "yes" : "no"}
          values={[
            { value: "no", text: memoryTexts.scores },
            { value: "yes", text: memoryTexts.explain },
          ]}
          onChoose={(value) => {
            search(value === "yes");
          }}
        />
      )}
    </form>
  );
}

function Results(props: {
  readonly query: string;
  readonly filters: MemoryFilters;
  readonly onOpen: (entryId: string) => void;
}) {
  const { query: text, filters } = props;
  const query = useQuery({
    queryKey: ["memory", "search", filters],
    queryFn: async ({ signal }) => {
      const startedMs = performance.now();
      const { tool, session, explain } = filters;
      const filter = {
        ...(tool === undefined ? {} : { tool_name: tool }),
        ...(session === undefined ? {} : { session_id: session }),
      };
      const results = await client.memory.searchMemory(
        {
          ...{ query: text, top_k: RESULTS_MAX, mode: "hybrid", filter },
          ...(explain === undefined ? {} : { explain }),
        },
        { signal },
      );
      return { results, ms: performance.now() - startedMs };
    },
  });
  if (query.isPending) return <Skeleton rows={PLACEHOLDER_ROWS} />;
  if (query.error !== null) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  const { results, ms } = query.data;
  if (results.length === 0) {
    return <Empty title={memoryTexts.none} hint={memoryTexts.noneHint} />;
  }
  return (
    <section>
      <p role="status" className="px-4 py-2 text-xs text-muted md:px-6">
        {memoryTexts.found(results.length, ms)}
      </p>
      <ul>
        {results.map(({ entry_id: id, content, created_at: at, score, explain }) => (
          <EntryRow
            key={id}
            content={content}
            createdAt={at}
            onOpen={() => {
              props.onOpen(id);
            }}
            score={{ part: Math.max(0, Math.min(1, score)), text: score.toFixed(SCORE_DIGITS) }}
            detail={
              explain && memoryTexts.ranks(explain.rank, explain.vector_rank, explain.text_rank)
            }
          />
        ))}
      </ul>
    </section>
  );
}

function Newest({ onOpen }: { readonly onOpen: (entryId: string) => void }) {
  const query = useInfiniteQuery({
    queryKey: ["memory", "entries"],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      client.memory.listMemoryEntries(cursor === "" ? {} : { cursor }, { signal }),
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  if (query.isPending) return <Skeleton rows={PLACEHOLDER_ROWS} />;
  if (query.error !== null && query.data === undefined) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  const entries = query.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <Empty
        title={memoryTexts.empty}
        hint={memoryTexts.emptyHint}
        icon={<Brain size={26} aria-hidden />}
      />
    );
  }
  return (
    <section>
      <ul>
        {entries.map((entry) => (
          <EntryRow
            key={entry.entry_id}
            content={entry.content}
            createdAt={entry.created_at}
            onOpen={() => {
              onOpen(entry.entry_id);
            }}
            detail={[
              memoryTexts.source(entry.tool_name),
              entry.session_id === "" ? memoryTexts.noSession : entry.session_id,
            ].join(" · ")}
          />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className="flex justify-center p-4">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {memoryTexts.more}
          </Button>
        </div>
      )}
    </section>
  );
}
