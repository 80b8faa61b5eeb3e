import { useQuery } from "@tanstack/react-query";
import { client } from "../data/client.js";
import { download } from "../data/export.js";
import { auditTexts } from "../texts/audit.js";
import { Button } from "../ui/button.js";
import { Code } from "../code/code.js";
import { Dialog } from "../ui/dialog.js";
import { Loaded } from "../ui/loaded.js";

const PLACEHOLDER_ROWS = 2;

/** The newest checkpoint of the log, to be kept elsewhere. */
export function CheckpointDialog({ onClose }: { readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ["audit", "checkpoint"],
    queryFn: ({ signal }) => client.audit.checkpoint({ signal }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={auditTexts.checkpointTitle}
      hint={auditTexts.checkpointHint}
    >
      <div className="mt-4 flex flex-col gap-3">
        <Loaded query={query} rows={PLACEHOLDER_ROWS}>
          {(note) => <Note note={note} />}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Note({ note }: { readonly note: string }) {
  if (note === "") return <p className="text-sm text-muted">{auditTexts.noCheckpoint}</p>;
  return (
    <>
      <Code text={note} />
      <div className="flex justify-end">
        <Button
          onClick={() => {
            download("checkpoint", "text/plain", note);
          }}
        >
          {auditTexts.download}
        </Button>
      </div>
    </>
  );
}
