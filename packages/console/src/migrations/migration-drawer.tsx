import type { Migration, MigrationFinding } from "@steward/client";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { migrationTexts } from "../texts/migrations.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Drawer } from "../ui/drawer.js";
import { Facts, Section } from "../ui/facts.js";
import { Loaded } from "../ui/loaded.js";
import { Tabs } from "../ui/tabs.js";
import { Time } from "../ui/time.js";
import { OperationTable } from "./operation-table.js";
import { Phases } from "./phases.js";
import { Proof } from "./proof.js";
import { runKey, RunPanel } from "./run-panel.js";

/** How often a run is looked at while it has not ended, in ms. */
const RUN_REFRESH_MS = 1000;

/** One migration: what it does, its scripts, its proof, and its runs. */
export function MigrationDrawer(props: {
  readonly migrationId: string;
  readonly onClose: () => void;
}) {
  const { migrationId } = props;
  const isRunning = useIsMutating({ mutationKey: runKey(migrationId) }) > 0;
  const query = useQuery({
    queryKey: ["migrations", "migration", migrationId],
    queryFn: ({ signal }) =>
      client.migrations.getMigration({ migration_id: migrationId }, { signal }),
    refetchInterval: ({ state }) =>
      isRunning || state.data?.unfinished_run !== undefined ? RUN_REFRESH_MS : false,
  });
  return (
    <Drawer
      label={migrationTexts.title}
      title={
        <h2 className="truncate text-base font-semibold">
          <AgentText>{query.data?.message ?? migrationTexts.title}</AgentText>
        </h2>
      }
      onClose={props.onClose}
    >
      <Loaded query={query}>{(migration) => <Parts migration={migration} />}</Loaded>
    </Drawer>
  );
}

function Parts({ migration }: { readonly migration: Migration }) {
  return (
    <Tabs
      label={migrationTexts.parts}
      tabs={[
        {
          id: "overview",
          title: migrationTexts.overview,
          content: <Overview migration={migration} />,
        },
        { id: "up", title: migrationTexts.up, content: <Phases phases={migration.up} /> },
        { id: "down", title: migrationTexts.down, content: <Phases phases={migration.down} /> },
        {
          id: "proof",
          title: migrationTexts.proof,
          content: <Proof migrationId={migration.migration_id} />,
        },
        { id: "run", title: migrationTexts.run, content: <RunPanel migration={migration} /> },
      ]}
    />
  );
}

function Overview({ migration }: { readonly migration: Migration }) {
  const { columns, statuses } = migrationTexts;
  return (
    <>
      <div className="mb-6">
        <Facts
          facts={[
            [columns.database, <AgentText key="database">{migration.database}</AgentText>],
            [
              columns.status,
              <Badge key="status" tone="quiet">
                {statuses[migration.status]}
              </Badge>,
            ],
            [columns.author, <AgentText key="author">{migration.author}</AgentText>],
            [columns.at, <Time key="at" at={migration.proposed_at} />],
          ]}
        />
      </div>
      <Section title={migrationTexts.operations}>
        <OperationTable operations={migration.operations} />
      </Section>
      <Findings title={migrationTexts.findings} findings={migration.findings} />
      <Findings title={migrationTexts.downFindings} findings={migration.down_findings} />
    </>
  );
}

function Findings(props: {
  readonly title: string;
  readonly findings: readonly MigrationFinding[];
}) {
  return (
    <Section title={props.title}>
      {props.findings.length === 0 && (
        <p className="text-sm text-muted">{migrationTexts.noFindings}</p>
      )}
      <ul className="flex flex-col gap-2 text-sm">
        {props.findings.map(({ code, object, message }) => (
          <li key={`${code} ${object}`} className="flex flex-wrap items-baseline gap-2">
            <Badge tone="warn">{code}</Badge>
            <AgentText className="font-medium">{object}</AgentText>
            <AgentText className="text-muted">{message}</AgentText>
          </li>
        ))}
      </ul>
    </Section>
  );
}
