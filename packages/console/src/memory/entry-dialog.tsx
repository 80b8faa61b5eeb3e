import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { memoryTexts } from "../texts/memory.js";
import { texts } from "../texts.js";
import { AgentText, withMarks } from "../ui/agent-text.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { InlineFailure, Skeleton } from "../ui/states.js";
import { Time } from "../ui/time.js";

/** One entry as it was stored, and its deletion for those who may. */
export function EntryDialog(props: { readonly entryId: string; readonly onClose: () => void }) {
  const { entryId, onClose } = props;
  const mayDelete = useMay("memory:purge");
  const [isAsking, setAsking] = useState(false);
  const entry = useQuery({
    queryKey: ["memory", "entry", entryId],
    queryFn: ({ signal }) => client.memory.getMemoryEntry({ entry_id: entryId }, { signal }),
  });
  const remove = useMutation({
    mutationFn: () => client.memory.deleteMemoryEntry({ entry_id: entryId }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["memory"] });
    },
  });
  const title = isAsking ? memoryTexts.removeTitle : memoryTexts.open;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      {...(isAsking && { hint: memoryTexts.removeHint })}
    >
      {entry.isPending && <Skeleton rows={2} />}
      {[entry.error, remove.error].map(
        (error, index) => error !== null && <InlineFailure key={index} error={error} />,
      )}
      {entry.data !== undefined && (
        <>
          <p className="mt-2 flex flex-wrap gap-x-3 text-xs text-muted">
            <Time at={entry.data.created_at} />
            <AgentText>{memoryTexts.source(entry.data.tool_name)}</AgentText>
            <AgentText>{entry.data.session_id}</AgentText>
          </p>
          <pre
            tabIndex={0}
            role="region"
            aria-label={memoryTexts.content}
            className="mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
          >
            {withMarks(entry.data.content)}
          </pre>
        </>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        {entry.data !== undefined && <CopyButton text={entry.data.content} />}
        {mayDelete && !isAsking && (
          <Button
            look="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            {memoryTexts.remove}
          </Button>
        )}
        {isAsking && (
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() => {
              remove.mutate();
            }}
          >
            {memoryTexts.removeForGood}
          </Button>
        )}
        <Button onClick={onClose}>{texts.dialog.close}</Button>
      </div>
    </Dialog>
  );
}
