import type { SystemStatus } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { client } from "../data/client.js";
import { systemTexts } from "../texts/system.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Facts } from "../ui/facts.js";
import { Loaded } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { Settings } from "./settings.js";

/** The server counts no further. */
const COUNTED_MAX = 10_000;

type Node = SystemStatus["nodes"][number];
type Queues = NonNullable<SystemStatus["queues"]>;

/** The page for operators: health, nodes, queues, versions, settings. */
export default function SystemPage() {
  // Each reading leaves a record in the audit log, so it is repeated only on demand.
  const query = useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => client.system.getSystemStatus({}, { signal }),
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title={systemTexts.title}
      subtitle={systemTexts.subtitle}
      actions={
        <>
          {query.dataUpdatedAt > 0 && (
            <span className="text-xs text-muted">
              {systemTexts.asOf} <Time at={new Date(query.dataUpdatedAt).toISOString()} />
            </span>
          )}
          <Button disabled={query.isFetching} onClick={() => void query.refetch()}>
            <RefreshCw size={14} aria-hidden />
            {systemTexts.refresh}
          </Button>
        </>
      }
    >
      <Loaded query={query}>{(status) => <Status status={status} />}</Loaded>
    </Page>
  );
}

function Status({ status }: { readonly status: SystemStatus }) {
  const { versions, settings } = status;
  return (
    <div className="grid gap-4 p-4 md:grid-cols-2 md:p-6">
      <Health health={status.health} />
      <Card title={systemTexts.versions}>
        <Facts
          facts={[
            [systemTexts.server, versions.server],
            [systemTexts.node, versions.node],
            [systemTexts.database, versions.database ?? systemTexts.noDatabase],
            [systemTexts.schema, versions.schema],
          ]}
        />
      </Card>
      {status.nodes.length > 0 && <Nodes nodes={status.nodes} />}
      {status.queues !== undefined && <QueueTable queues={status.queues} />}
      {status.audit_records !== undefined && (
        <Exports exports={status.exports} records={status.audit_records} />
      )}
      <Card title={systemTexts.settings} hint={systemTexts.settingsHint} isWide>
        {settings === undefined ? (
          <p className="text-sm text-muted">{systemTexts.noSettings}</p>
        ) : (
          <Settings settings={settings} />
        )}
      </Card>
    </div>
  );
}

function Card(props: {
  readonly title: string;
  readonly hint?: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const width = props.isWide === true ? "md:col-span-2" : "";
  return (
    <section className={`flex min-w-0 flex-col gap-3 rounded-lg border p-4 ${width}`}>
      <h2 className="text-sm font-medium">{props.title}</h2>
      {props.hint !== undefined && <p className="text-sm text-muted">{props.hint}</p>}
      <div className="min-w-0">{props.children}</div>
    </section>
  );
}

function Health({ health }: { readonly health: SystemStatus["health"] }) {
  return (
    <Card title={systemTexts.health}>
      <p className="mb-3">
        <Badge tone={health.ready ? "good" : "bad"}>
          {health.ready ? systemTexts.ready : systemTexts.notReady}
        </Badge>
      </p>
      <Facts
        facts={Object.entries(health.checks).map(([part, state]) => [
          systemTexts.checks[part] ?? part,
          <span key={part} className={state === systemTexts.fine ? "" : "text-warn"}>
            {state}
          </span>,
        ])}
      />
    </Card>
  );
}

function Nodes({ nodes }: { readonly nodes: readonly Node[] }) {
  const { nodeColumns: titles } = systemTexts;
  const isMixed = new Set(nodes.map(({ version }) => version)).size > 1;
  return (
    <Card title={systemTexts.nodes} hint={systemTexts.nodesHint} isWide>
      {isMixed && <p className="mb-2 text-sm text-warn">{systemTexts.otherVersion}</p>}
      <Table
        label={systemTexts.nodes}
        rows={nodes}
        keyOf={({ node_id: id }) => id}
        columns={[
          {
            title: titles.id,
            cell: (node) => (
              <span className="flex items-center gap-2">
                <code className="text-xs">{node.node_id}</code>
                {node.is_answering && <Badge tone="quiet">{systemTexts.answering}</Badge>}
              </span>
            ),
          },
          { title: titles.version, cell: ({ version }) => version ?? systemTexts.older },
          { title: titles.seen, cell: (node) => <Time at={node.last_seen_at} /> },
          {
            title: titles.lease,
            cell: ({ has_lease: isHeld }) => (
              <Badge tone={isHeld ? "good" : "bad"}>
                {isHeld ? systemTexts.held : systemTexts.lost}
              </Badge>
            ),
          },
          { title: titles.steps, cell: (node) => node.steps_running, isNumber: true },
        ]}
      />
    </Card>
  );
}

function QueueTable({ queues }: { readonly queues: Queues }) {
  const { queueColumns: titles, queueNames: names } = systemTexts;
  const rows = (Object.keys(names) as (keyof Queues)[]).map((queue) => ({
    queue,
    count: queues[queue],
  }));
  return (
    <Card title={systemTexts.queues}>
      <Table
        label={systemTexts.queues}
        rows={rows}
        keyOf={({ queue }) => queue}
        columns={[
          { title: titles.queue, cell: ({ queue }) => names[queue][0] },
          {
            title: titles.waiting,
            isNumber: true,
            cell: ({ count }) => (count === COUNTED_MAX ? systemTexts.atLeast(count) : count),
          },
          {
            title: titles.meaning,
            cell: ({ queue }) => (
              <span className="block min-w-40 text-muted">{names[queue][1]}</span>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Exports(props: { readonly exports: SystemStatus["exports"]; readonly records: number }) {
  const { exportColumns: titles } = systemTexts;
  return (
    <Card title={systemTexts.exports} hint={systemTexts.auditRecords(props.records)}>
      {props.exports.length === 0 ? (
        <p className="text-sm text-muted">{systemTexts.noExport}</p>
      ) : (
        <Table
          label={systemTexts.exports}
          rows={props.exports}
          keyOf={({ sink }) => sink}
          columns={[
            { title: titles.sink, cell: ({ sink }) => <code className="text-xs">{sink}</code> },
            { title: titles.waiting, cell: (each) => each.records_waiting, isNumber: true },
          ]}
        />
      )}
    </Card>
  );
}
