import type { Migration } from "@steward/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { migrationTexts } from "../texts/migrations.js";
import { AgentText } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { Facts, Section } from "../ui/facts.js";
import { InlineFailure } from "../ui/states.js";

type Verb = "apply" | "revert" | "resume" | "undo";

/** The key of what runs a migration: while it is under way, the page reads how far it is. */
export function runKey(migrationId: string): readonly string[] {
  return ["migrations", "run", migrationId];
}

/** Applies or reverts what is shown, and follows a run that has not ended. */
export function RunPanel({ migration }: { readonly migration: Migration }) {
  const { migration_id: id, digest, status, unfinished_run: unfinished } = migration;
  const mayApply = useMay("migrations:apply");
  const mayRevert = useMay("migrations:revert");
  const [acceptsLoss, setAcceptsLoss] = useState(false);
  const run = useMutation({
    mutationKey: runKey(id),
    mutationFn: (verb: Verb) =>
      client.migrations[`${verb}Migration`]({
        ...{ migration_id: id, digest, accept_data_loss: acceptsLoss },
      }),
    // Also of a run that has failed something may have taken effect.
    onSettled: () => queries.invalidateQueries({ queryKey: ["migrations"] }),
  });
  const button = (verb: Verb, look: "primary" | "danger" | "secondary") => (
    <Button
      look={look}
      disabled={run.isPending}
      onClick={() => {
        run.mutate(verb);
      }}
    >
      {migrationTexts[verb]}
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">{migrationTexts.runHint}</p>
      <Facts
        facts={[
          [migrationTexts.columns.status, migrationTexts.statuses[status]],
          [
            migrationTexts.digest,
            <span key="digest" className="font-mono text-xs break-all">
              {digest}
            </span>,
          ],
          [migrationTexts.commits, migration.commits.length],
        ]}
      />
      {unfinished !== undefined && <Unfinished run={unfinished} />}
      {(mayApply || mayRevert) && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={acceptsLoss}
            onChange={(event) => {
              setAcceptsLoss(event.target.checked);
            }}
          />
          {migrationTexts.acceptLoss}
        </label>
      )}
      <div className="flex flex-wrap gap-2">
        {unfinished === undefined && status !== "applied" && mayApply && button("apply", "primary")}
        {unfinished === undefined &&
          status === "applied" &&
          mayRevert &&
          button("revert", "danger")}
        {unfinished?.under_way === false && mayApply && button("resume", "primary")}
        {unfinished?.under_way === false && mayRevert && button("undo", "danger")}
      </div>
      {run.error !== null && <InlineFailure error={run.error} />}
    </div>
  );
}

/** How far a run is that has not ended. */
function Unfinished({ run }: { readonly run: NonNullable<Migration["unfinished_run"]> }) {
  const { parts_done: done, part_count: all, under_way: isUnderWay, activity, error } = run;
  return (
    <Section title={migrationTexts.unfinished}>
      <div role="status" className="flex flex-col gap-2 text-sm">
        <progress
          value={done}
          max={all}
          aria-label={migrationTexts.progress(done, all)}
          className="w-full accent-accent"
        />
        <p>
          {isUnderWay ? migrationTexts.underWay : migrationTexts.stopped}{" "}
          {migrationTexts.progress(done, all)}
        </p>
        {activity !== undefined && <AgentText className="text-muted">{activity}</AgentText>}
        {error !== undefined && <AgentText className="text-bad">{error}</AgentText>}
      </div>
    </Section>
  );
}
