import type { Migration } from "@steward/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Replace } from "lucide-react";
import { useState } from "react";
import { client } from "../data/client.js";
import { useMay } from "../data/session.js";
import { migrationTexts } from "../texts/migrations.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge, type Tone } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Loaded } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import { Empty } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { MigrationDrawer } from "./migration-drawer.js";
import { NewMigration } from "./new-migration.js";

export const STATUS_TONES: Readonly<Record<Migration["status"], Tone>> = {
  proposed: "warn",
  applied: "good",
  reverted: "quiet",
};

/** Migrations of all databases, newest first; one in detail; a new one. */
export default function MigrationsPage() {
  const { migration } = useSearch({ from: "/migrations" });
  const navigate = useNavigate({ from: "/migrations" });
  const mayPropose = useMay("migrations:propose");
  const [isProposing, setProposing] = useState(false);
  const query = useQuery({
    queryKey: ["migrations", "list"],
    queryFn: ({ signal }) => client.migrations.listMigrations({}, { signal }),
  });
  const show = (id: string | undefined) => {
    void navigate({ search: id === undefined ? {} : { migration: id }, replace: true });
  };
  return (
    <Page
      title={migrationTexts.title}
      subtitle={migrationTexts.subtitle}
      actions={
        mayPropose && (
          <Button
            look="primary"
            onClick={() => {
              setProposing(true);
            }}
          >
            <Plus size={15} aria-hidden />
            {migrationTexts.propose}
          </Button>
        )
      }
    >
      <div className="flex h-full min-h-0">
        <div className="min-w-0 flex-1">
          <Loaded query={query}>
            {(migrations) => (
              <MigrationTable migrations={migrations} chosen={migration} onOpen={show} />
            )}
          </Loaded>
        </div>
        {migration !== undefined && (
          <MigrationDrawer
            key={migration}
            migrationId={migration}
            onClose={() => {
              show(undefined);
            }}
          />
        )}
      </div>
      {isProposing && (
        <NewMigration
          onProposed={show}
          onClose={() => {
            setProposing(false);
          }}
        />
      )}
    </Page>
  );
}

function MigrationTable(props: {
  readonly migrations: readonly Migration[];
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
}) {
  const { columns } = migrationTexts;
  if (props.migrations.length === 0) {
    return (
      <Empty
        title={migrationTexts.empty}
        hint={migrationTexts.emptyHint}
        icon={<Replace size={26} aria-hidden />}
      />
    );
  }
  return (
    <Table
      label={migrationTexts.list}
      rows={props.migrations}
      keyOf={({ migration_id: id }) => id}
      isChosen={({ migration_id: id }) => id === props.chosen}
      onOpen={({ migration_id: id }) => {
        props.onOpen(id);
      }}
      columns={[
        {
          title: columns.message,
          cell: ({ migration_id: id, message }) => (
            <button
              type="button"
              aria-label={migrationTexts.open(message)}
              className="max-w-96 truncate text-left text-accent"
              onClick={(event) => {
                event.stopPropagation();
                props.onOpen(id);
              }}
            >
              <AgentText>{message}</AgentText>
            </button>
          ),
        },
        { title: columns.database, cell: ({ database }) => <AgentText>{database}</AgentText> },
        {
          title: columns.status,
          cell: ({ status }) => (
            <Badge tone={STATUS_TONES[status]}>{migrationTexts.statuses[status]}</Badge>
          ),
        },
        { title: columns.author, cell: ({ author }) => <AgentText>{author}</AgentText> },
        { title: columns.at, cell: ({ proposed_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}
