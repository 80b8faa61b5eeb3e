import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import type { ApiKey } from "@steward/client";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../data/client.js";
import { useMay } from "../data/session.js";
import { accessTexts } from "../texts/access.js";
import { texts } from "../texts.js";
import { AgentText } from "../ui/agent-text.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Failure, InlineFailure, Skeleton } from "../ui/states.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { NewKey } from "./new-key.js";

const PLACEHOLDER_ROWS = 6;

/** The API keys of the organization, newest first, with the revoked ones. */
export function KeyList() {
  const mayWrite = useMay("keys:write");
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | undefined>();
  const query = useInfiniteQuery({
    queryKey: ["keys"],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      client.keys.listApiKeys(cursor === "" ? {} : { cursor }, { signal }),
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const keys = query.data?.pages.flatMap((page) => page.keys) ?? [];
  if (query.isPending) return <Skeleton rows={PLACEHOLDER_ROWS} />;
  if (query.error !== null && query.data === undefined) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <div className="flex flex-col">
      {mayWrite && (
        <div className="flex justify-end px-4 py-2.5 md:px-6">
          <Button
            look="primary"
            onClick={() => {
              setCreating(true);
            }}
          >
            <Plus size={15} aria-hidden />
            {accessTexts.newKey}
          </Button>
        </div>
      )}
      {keys.length === 0 ? (
        <Empty
          title={accessTexts.noKeys}
          hint={accessTexts.noKeysHint}
          icon={<KeyRound size={26} aria-hidden />}
        />
      ) : (
        <KeyTable keys={keys} onRevoke={mayWrite ? setRevoked : undefined} />
      )}
      {query.hasNextPage && (
        <Button
          className="m-4 self-center"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {accessTexts.more}
        </Button>
      )}
      {isCreating && (
        <NewKey
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
      {revoked !== undefined && (
        <RevokeKey
          apiKey={revoked}
          onClose={() => {
            setRevoked(undefined);
          }}
        />
      )}
    </div>
  );
}

function KeyTable(props: {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: ((key: ApiKey) => void) | undefined;
}) {
  const { keys, onRevoke } = props;
  const { columns } = accessTexts;
  return (
    <Table
      label={accessTexts.views.keys}
      rows={keys}
      keyOf={({ key_id: id }) => id}
      columns={[
        {
          title: columns.name,
          cell: ({ name, key_id: id }) => (
            <div className="flex flex-col">
              <AgentText>{name}</AgentText>
              <span className="font-mono text-xs text-muted">{id}</span>
            </div>
          ),
        },
        { title: columns.owner, cell: (key) => <AgentText>{ownerText(key)}</AgentText> },
        { title: columns.rights, cell: (key) => <AgentText>{rightsText(key)}</AgentText> },
        { title: columns.used, cell: ({ last_used_at: at }) => <Time at={at} /> },
        { title: columns.state, cell: (key) => <KeyState apiKey={key} /> },
        {
          title: columns.change,
          cell: (key) =>
            onRevoke !== undefined && key.revoked_at === undefined ? (
              <Button
                look="danger"
                size="small"
                aria-label={accessTexts.revokeNamed(key.name)}
                onClick={() => {
                  onRevoke(key);
                }}
              >
                {accessTexts.revoke}
              </Button>
            ) : null,
        },
      ]}
    />
  );
}

function KeyState({ apiKey }: { readonly apiKey: ApiKey }) {
  const { revoked_at: revokedAt, expires_at: expiresAt } = apiKey;
  if (revokedAt !== undefined) return <Badge tone="quiet">{accessTexts.revoked}</Badge>;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) {
    return <Badge tone="warn">{accessTexts.expired}</Badge>;
  }
  return <Badge tone="good">{accessTexts.valid}</Badge>;
}

function ownerText({ agent_id: agent, user_id: user }: ApiKey): string {
  if (agent === undefined) return user ?? accessTexts.program;
  return user === undefined ? agent : accessTexts.actsFor(agent, user);
}

function rightsText({ roles, permissions, scopes }: ApiKey): string {
  const rights = [...roles, ...permissions].join(", ");
  return scopes.length === 0 ? rights : accessTexts.onlyFor(rights, scopes.join(", "));
}

function RevokeKey(props: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { apiKey, onClose } = props;
  const revoke = useMutation({
    mutationFn: () => client.keys.revokeApiKey({ key_id: apiKey.key_id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["keys"] });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={accessTexts.revokeTitle(apiKey.name)}
      hint={accessTexts.revokeHint}
    >
      {revoke.error !== null && <InlineFailure error={revoke.error} />}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>{texts.dialog.cancel}</Button>
        <Button
          look="danger"
          disabled={revoke.isPending}
          onClick={() => {
            revoke.mutate();
          }}
        >
          {accessTexts.revokeForGood}
        </Button>
      </div>
    </Dialog>
  );
}
