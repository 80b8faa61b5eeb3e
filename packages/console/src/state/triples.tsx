import { useInfiniteQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { client } from "../data/client.js";
import { stateTexts } from "../texts/state.js";
import { Button } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { Loaded, ShowMore } from "../ui/loaded.js";
import { Empty } from "../ui/states.js";
import { Neighbourhood } from "./neighbourhood.js";
import { QuadTable } from "./quad-table.js";
import { commitName } from "./ref-name.js";
import type { StateSearch } from "./state-search.js";

const PAGE_QUADS = 100;
const POSITIONS = ["subject", "predicate", "object"] as const;

/** The quads of a branch that match a pattern, and what is around one of their terms. */
export function Triples(props: {
  readonly refName: string;
  readonly search: StateSearch;
  readonly onShow: (search: StateSearch) => void;
}) {
  const { refName, search, onShow } = props;
  const at = commitName(refName);
  const pattern = Object.fromEntries(
    POSITIONS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );
  const query = useInfiniteQuery({
    queryKey: ["state", "at", at, pattern],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      client.state.getStateAt({ at, ...pattern, limit: PAGE_QUADS, offset }, { signal }),
    getNextPageParam: ({ count }, pages) => {
      const loaded = pages.reduce((sum, { quads }) => sum + quads.length, 0);
      return loaded < count ? loaded : undefined;
    },
  });
  const around = (term: string) => {
    onShow({ view: "triples", ...pattern, around: term });
  };
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <PatternForm
          key={JSON.stringify(pattern)}
          pattern={pattern}
          onSearch={(next) => {
            onShow({ view: "triples", ...next });
          }}
        />
        <Loaded query={query}>
          {({ pages }) => {
            const quads = pages.flatMap((page) => page.quads);
            if (quads.length === 0) {
              return <Empty title={stateTexts.noTriples} hint={stateTexts.noTriplesHint} />;
            }
            return (
              <div className="min-h-0 flex-1 overflow-y-auto">
                <p role="status" className="px-4 py-2 text-xs text-muted md:px-6">
                  {stateTexts.count(pages[0]?.count ?? 0)}
                </p>
                <QuadTable
                  label={stateTexts.triples}
                  rows={quads.map((quad) => ({ quad }))}
                  onAround={around}
                />
                <ShowMore query={query} text={stateTexts.more} />
              </div>
            );
          }}
        </Loaded>
      </div>
      {search.around !== undefined && (
        <Neighbourhood
          key={search.around}
          at={at}
          term={search.around}
          onAround={around}
          onClose={() => {
            onShow({ view: "triples", ...pattern });
          }}
        />
      )}
    </div>
  );
}

function PatternForm(props: {
  readonly pattern: StateSearch;
  readonly onSearch: (pattern: StateSearch) => void;
}) {
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget);
        const terms = POSITIONS.flatMap((name) => {
          const value = typed.get(name);
          return typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [];
        });
        props.onSearch(Object.fromEntries(terms) as StateSearch);
      }}
      className="flex flex-wrap items-end gap-2 border-b px-4 py-3 md:px-6"
    >
      {POSITIONS.map((name) => (
        <div key={name} className="min-w-36 flex-1">
          <Field
            id={`state-${name}`}
            name={name}
            label={stateTexts[name]}
            placeholder={stateTexts.termHint}
            defaultValue={props.pattern[name] ?? ""}
          />
        </div>
      ))}
      <Button type="submit" look="primary">
        <Search size={15} aria-hidden />
        {stateTexts.find}
      </Button>
    </form>
  );
}
