import type { StateCommit } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { OperationTable } from "../migrations/operation-table.js";
import { stateTexts } from "../texts/state.js";
import { AgentText } from "../ui/agent-text.js";
import { CopyButton } from "../ui/copy.js";
import { Drawer } from "../ui/drawer.js";
import { Facts, Section } from "../ui/facts.js";
import { SelectField } from "../ui/field.js";
import { Loaded } from "../ui/loaded.js";
import { Time } from "../ui/time.js";
import { shortId } from "./ref-name.js";
import { QuadTable } from "./quad-table.js";

/** Changes that are listed of a commit. */
const CHANGES_MAX = 500;
const PARENT = "";

/** One commit, and what differs between it and another one. */
export function CommitDrawer(props: {
  readonly commitId: string;
  readonly commits: readonly StateCommit[];
  /** Absent: the commit before it. */
  readonly comparedWith: string | undefined;
  /** Whether the dataset is the schema of a database. */
  readonly isSchema: boolean;
  readonly onCompare: (commit: string | undefined) => void;
  readonly onClose: () => void;
}) {
  const { commitId, commits } = props;
  const commit = commits.find((each) => each.commit === commitId);
  const from = props.comparedWith ?? commit?.parents[0];
  const others = commits.filter((each) => each.commit !== commitId);
  return (
    <Drawer
      label={`${stateTexts.commit} ${shortId(commitId)}`}
      title={
        <h2 className="truncate text-base font-semibold">
          <AgentText>{commit?.message ?? shortId(commitId)}</AgentText>
        </h2>
      }
      onClose={props.onClose}
    >
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        {commit !== undefined && <CommitFacts commit={commit} />}
        <Section title={stateTexts.diff}>
          <SelectField
            id="state-with"
            label={stateTexts.compareWith}
            value={props.comparedWith ?? PARENT}
            options={[
              { value: PARENT, text: stateTexts.parent },
              ...others.map((each) => ({
                value: each.commit,
                text: `${shortId(each.commit)} ${each.message}`,
              })),
            ]}
            onChoose={(value) => {
              props.onCompare(value === PARENT ? undefined : value);
            }}
          />
        </Section>
        {props.isSchema && from !== undefined && <SchemaChanges from={from} to={commitId} />}
        <Changes from={from} to={commitId} />
      </div>
    </Drawer>
  );
}

function CommitFacts({ commit }: { readonly commit: StateCommit }) {
  const { parents } = commit;
  return (
    <div className="mb-6">
      <Facts
        facts={[
          [
            stateTexts.commit,
            <span key="id" className="flex items-center font-mono text-xs break-all">
              {commit.commit}
              <CopyButton text={commit.commit} iconOnly />
            </span>,
          ],
          [stateTexts.commitColumns.author, <AgentText key="author">{commit.author}</AgentText>],
          [stateTexts.commitColumns.time, <Time key="time" at={commit.time} />],
          [stateTexts.quads, commit.size],
          [
            stateTexts.root,
            <span key="root" className="font-mono text-xs break-all">
              {commit.root}
            </span>,
          ],
          [
            stateTexts.parents,
            parents.length === 0 ? stateTexts.first : parents.map(shortId).join(", "),
          ],
        ]}
      />
    </div>
  );
}

function SchemaChanges({ from, to }: { readonly from: string; readonly to: string }) {
  const query = useQuery({
    queryKey: ["migrations", "diff", from, to],
    queryFn: ({ signal }) => client.migrations.compareSchemas({ from, to }, { signal }),
  });
  return (
    <Section title={stateTexts.schemaChanges}>
      <Loaded query={query}>
        {({ operations }) => <OperationTable operations={operations} />}
      </Loaded>
    </Section>
  );
}

function Changes({ from, to }: { readonly from: string | undefined; readonly to: string }) {
  const query = useQuery({
    queryKey: ["state", "diff", from, to],
    queryFn: async ({ signal }) => {
      if (from !== undefined) {
        return client.state.getStateDiff({ from, to, limit: CHANGES_MAX }, { signal });
      }
      // The first commit adds all that it has.
      const { quads, count } = await client.state.getStateAt(
        { at: to, limit: CHANGES_MAX },
        { signal },
      );
      return { added: quads, deleted: [], truncated: count > quads.length };
    },
  });
  return (
    <Loaded query={query}>
      {({ added, deleted, truncated }) => (
        <>
          {added.length + deleted.length === 0 ? (
            <p className="text-sm text-muted">{stateTexts.noChanges}</p>
          ) : (
            <QuadTable
              label={stateTexts.diff}
              rows={[
                ...deleted.map((quad) => ({ quad, sign: "deleted" as const })),
                ...added.map((quad) => ({ quad, sign: "added" as const })),
              ]}
            />
          )}
          {truncated && <p className="mt-2 text-xs text-muted">{stateTexts.truncated}</p>}
        </>
      )}
    </Loaded>
  );
}
