import { StewardError } from "@steward/client";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../texts.js";
import { AgentText, withMarks } from "./agent-text.js";
import { Button } from "./button.js";
import { classNames } from "./class-names.js";

/** The content of an empty page: why it is empty, and the next step. */
export function Empty(props: {
  readonly title: string;
  readonly hint: string;
  /** Whether it is all that the page shows, so that its title is the page's. */
  readonly isPage?: boolean;
  readonly icon?: ReactNode;
  readonly children?: ReactNode;
}) {
  const Heading = props.isPage === true ? "h1" : "h2";
  return (
    <div className="flex flex-col items-center justify-center gap-1 px-6 py-20 text-center">
      {props.icon !== undefined && <div className="mb-2 text-muted">{props.icon}</div>}
      <Heading className="text-base font-medium">{props.title}</Heading>
      <p className="max-w-md text-sm text-muted">{props.hint}</p>
      {props.children !== undefined && <div className="mt-4 flex gap-2">{props.children}</div>}
    </div>
  );
}

/** The reason why something could not be loaded, as the server says it. */
export function Failure(props: { readonly error: Error; readonly onRetry?: () => void }) {
  const isForbidden = props.error instanceof StewardError && props.error.code === "POLICY_DENIED";
  const requestId = props.error instanceof StewardError ? props.error.requestId : undefined;
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-6 py-16 text-center">
      <CircleAlert className="mb-2 text-bad" size={24} aria-hidden />
      <h2 className="text-base font-medium">
        {isForbidden ? texts.states.forbidden : texts.states.failed}
      </h2>
      <p className="max-w-lg text-sm break-words text-muted">{withMarks(props.error.message)}</p>
      {isForbidden && <p className="text-sm text-muted">{texts.states.forbiddenHint}</p>}
      {requestId !== undefined && (
        <p className="font-mono text-xs text-muted">{texts.states.requestId(requestId)}</p>
      )}
      {props.onRetry !== undefined && (
        <Button className="mt-4" onClick={props.onRetry}>
          {texts.states.retry}
        </Button>
      )}
    </div>
  );
}

/** A short message beside the control that it belongs to. */
export function InlineFailure({ error }: { readonly error: Error }) {
  return (
    <p role="alert" className="flex items-start gap-1.5 text-sm break-words text-bad">
      <CircleAlert size={15} className="mt-0.5 shrink-0" aria-hidden />
      <AgentText className="min-w-0">{error.message}</AgentText>
    </p>
  );
}

/** Grey lines in the place of rows that are on their way. */
export function Skeleton(props: { readonly rows: number; readonly className?: string }) {
  return (
    <div
      role="status"
      aria-label={texts.states.loading}
      className={classNames("animate-pulse", props.className)}
    >
      {Array.from({ length: props.rows }, (_, index) => (
        <div key={index} className="flex h-12 items-center gap-4 border-b px-4">
          <div className="h-3 w-20 rounded bg-sunken" />
          <div className="h-3 flex-1 rounded bg-sunken" />
          <div className="hidden h-3 w-24 rounded bg-sunken sm:block" />
        </div>
      ))}
    </div>
  );
}
