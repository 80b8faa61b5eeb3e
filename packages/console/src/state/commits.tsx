import type { StateCommit } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { client } from "../data/client.js";
import { lazyPart } from "../data/load-script.js";
import { stateTexts } from "../texts/state.js";
import { AgentText } from "../ui/agent-text.js";
import { Loaded } from "../ui/loaded.js";
import { Skeleton } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { CommitDrawer } from "./commit-drawer.js";
import { commitName, shortId } from "./ref-name.js";
import type { StateSearch } from "./state-search.js";

const BoxGraph = lazyPart(() => import("../graph/box-graph.js"));

const COMMITS_MAX = 50;
const PLACEHOLDER_ROWS = 4;

/** The newest commits of a branch, as a graph and as a table, and one of them in detail. */
export function Commits(props: {
  readonly refName: string;
  readonly search: StateSearch;
  readonly onShow: (search: StateSearch) => void;
}) {
  const { refName, search, onShow } = props;
  const query = useQuery({
    queryKey: ["state", "log", refName],
    queryFn: ({ signal }) =>
      client.state.getStateLog({ from: commitName(refName), limit: COMMITS_MAX }, { signal }),
  });
  const open = (commit: string) => {
    onShow({ commit });
  };
  return (
    <Loaded query={query}>
      {(commits) => (
        <div className="flex min-h-0 flex-1">
          <div className="flex min-w-0 flex-1 flex-col gap-4 overflow-y-auto p-4 md:p-6">
            <Suspense fallback={<Skeleton rows={PLACEHOLDER_ROWS} />}>
              <BoxGraph
                label={stateTexts.commitGraph}
                boxes={commits.map(({ commit, message, author }) => ({
                  id: commit,
                  title: message,
                  lines: [`${shortId(commit)} · ${author}`],
                }))}
                arrows={arrowsOf(commits)}
                chosen={search.commit}
                onOpen={open}
              />
            </Suspense>
            {commits.length === COMMITS_MAX && (
              <p className="text-xs text-muted">{stateTexts.cut(COMMITS_MAX)}</p>
            )}
            <CommitTable commits={commits} chosen={search.commit} onOpen={open} />
          </div>
          {search.commit !== undefined && (
            <CommitDrawer
              key={search.commit}
              commitId={search.commit}
              commits={commits}
              comparedWith={search.with}
              isSchema={refName.startsWith("heads/schemas/")}
              onCompare={(other) => {
                onShow({
                  commit: search.commit ?? "",
                  ...(other === undefined ? {} : { with: other }),
                });
              }}
              onClose={() => {
                onShow({});
              }}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}

/** From each commit to those that came from it, as far as both are listed. */
function arrowsOf(commits: readonly StateCommit[]) {
  const listed = new Set(commits.map(({ commit }) => commit));
  return commits.flatMap(({ commit, parents }) =>
    parents.filter((id) => listed.has(id)).map((from) => ({ from, to: commit, text: "" })),
  );
}

function CommitTable(props: {
  readonly commits: readonly StateCommit[];
  readonly chosen: string | undefined;
  readonly onOpen: (commit: string) => void;
}) {
  const { commitColumns: titles } = stateTexts;
  return (
    <Table
      label={stateTexts.commits}
      rows={props.commits}
      keyOf={({ commit }) => commit}
      isChosen={({ commit }) => commit === props.chosen}
      onOpen={({ commit }) => {
        props.onOpen(commit);
      }}
      columns={[
        {
          title: titles.message,
          cell: ({ commit, message }) => (
            <button
              type="button"
              aria-label={stateTexts.open(message)}
              className="max-w-96 truncate text-left text-accent"
              onClick={(event) => {
                event.stopPropagation();
                props.onOpen(commit);
              }}
            >
              <AgentText>{message}</AgentText>
            </button>
          ),
        },
        { title: titles.author, cell: ({ author }) => <AgentText>{author}</AgentText> },
        { title: titles.time, cell: ({ time }) => <Time at={time} /> },
        { title: titles.size, isNumber: true, cell: ({ size }) => size },
        {
          title: titles.id,
          cell: ({ commit }) => <span className="font-mono text-xs">{shortId(commit)}</span>,
        },
      ]}
    />
  );
}
