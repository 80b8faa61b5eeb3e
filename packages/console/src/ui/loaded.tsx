import type { ReactNode } from "react";
import { Button } from "./button.js";
import { Failure, Skeleton } from "./states.js";

const PLACEHOLDER_ROWS = 6;

/** What a page waits for: a query, or several of its kind. */
interface Loading<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** What was loaded, a placeholder until then, or the reason why it could not be. Old data outlives a failure. */
export function Loaded<Data>(props: {
  readonly query: Loading<Data>;
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Skeleton rows={props.rows ?? PLACEHOLDER_ROWS} />;
}

/** The button below a list that loads its next page, as long as there is one. */
export function ShowMore(props: {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly text: string;
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = props.query;
  if (!hasNextPage) return null;
  return (
    <div className="flex justify-center p-4">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {props.text}
      </Button>
    </div>
  );
}
