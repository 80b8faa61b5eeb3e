import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { migrationTexts } from "../texts/migrations.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Field, SelectField, TextArea } from "../ui/field.js";
import { Loaded } from "../ui/loaded.js";
import { InlineFailure } from "../ui/states.js";

const SQL_ROWS = 12;
const PLACEHOLDER_ROWS = 3;

/** Proposes a schema, which begins as the present one. */
export function NewMigration(props: {
  readonly onProposed: (migrationId: string) => void;
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState<string | undefined>();
  const catalog = useQuery({
    queryKey: ["catalog", "listing"],
    queryFn: ({ signal }) => client.catalog.listCatalog({}, { signal }),
  });
  const names = catalog.data?.data_sources.map(({ name }) => name) ?? [];
  const database = chosen ?? names[0];
  return (
    <Dialog open onClose={props.onClose} title={migrationTexts.propose}>
      <div className="mt-4 flex flex-col gap-4">
        <Loaded query={catalog} rows={PLACEHOLDER_ROWS}>
          {() =>
            database === undefined ? (
              <p className="text-sm text-muted">{migrationTexts.noDatabase}</p>
            ) : (
              <>
                <SelectField
                  id="migration-database"
                  label={migrationTexts.database}
                  value={database}
                  options={names.map((name) => ({ value: name, text: name }))}
                  onChoose={setChosen}
                />
                <Proposal key={database} database={database} {...props} />
              </>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Proposal(props: {
  readonly database: string;
  readonly onProposed: (migrationId: string) => void;
  readonly onClose: () => void;
}) {
  const { database } = props;
  const [draft, setDraft] = useState<string | undefined>();
  const [message, setMessage] = useState("");
  const present = useQuery({
    queryKey: ["migrations", "dump", database],
    queryFn: ({ signal }) => client.migrations.dumpSchema({ database }, { signal }),
  });
  const sql = draft ?? present.data?.sql ?? "";
  const propose = useMutation({
    mutationFn: () => client.migrations.proposeMigration({ database, sql, message }),
    onSuccess: async (result) => {
      if (result.status === "unchanged") return;
      await queries.invalidateQueries({ queryKey: ["migrations"] });
      props.onProposed(result.migration_id);
      props.onClose();
    },
  });
  return (
    <Loaded query={present} rows={PLACEHOLDER_ROWS}>
      {() => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            propose.mutate();
          }}
          className="flex flex-col gap-4"
        >
          <Field
            id="migration-message"
            label={migrationTexts.message}
            required
            value={message}
            onChange={(event) => {
              setMessage(event.target.value);
            }}
          />
          <TextArea
            id="migration-sql"
            label={migrationTexts.sql}
            hint={migrationTexts.sqlHint}
            rows={SQL_ROWS}
            value={sql}
            onChange={(event) => {
              setDraft(event.target.value);
            }}
          />
          {propose.data?.status === "unchanged" && (
            <p role="status" className="text-sm">
              {migrationTexts.unchanged}
            </p>
          )}
          {propose.error !== null && <InlineFailure error={propose.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={props.onClose}>{texts.dialog.cancel}</Button>
            <Button
              type="submit"
              look="primary"
              disabled={propose.isPending || message.trim() === ""}
            >
              {propose.isPending ? migrationTexts.working : migrationTexts.submit}
            </Button>
          </div>
        </form>
      )}
    </Loaded>
  );
}
