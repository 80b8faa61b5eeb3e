import { useMutation } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { useMay } from "../data/session.js";
import { migrationTexts } from "../texts/migrations.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Facts } from "../ui/facts.js";
import { InlineFailure } from "../ui/states.js";

/** Tries a migration on a scratch database, and shows where each part has ended. */
export function Proof({ migrationId }: { readonly migrationId: string }) {
  const mayProve = useMay("migrations:propose");
  const prove = useMutation({
    mutationFn: () => client.migrations.verifyMigration({ migration_id: migrationId }),
  });
  const { stretches, reached, missed } = migrationTexts;
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="text-sm text-muted">{migrationTexts.proofHint}</p>
      {mayProve && (
        <Button
          disabled={prove.isPending}
          onClick={() => {
            prove.mutate();
          }}
        >
          {prove.isPending ? migrationTexts.proving : migrationTexts.prove}
        </Button>
      )}
      {prove.error !== null && <InlineFailure error={prove.error} />}
      {prove.data !== undefined && (
        <div role="status" className="flex flex-col gap-3">
          <Badge tone={prove.data.proven ? "good" : "bad"}>
            {prove.data.proven ? migrationTexts.proven : migrationTexts.notProven}
          </Badge>
          <Facts
            facts={prove.data.stretches.map(({ name, missing }) => [
              stretches[name],
              missing.length === 0 ? reached : missed(missing.length),
            ])}
          />
        </div>
      )}
    </div>
  );
}
