import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMay, useSession } from "../data/session.js";
import { connectTexts } from "../texts/connect.js";
import { buttonClass } from "../ui/button.js";
import { Code } from "../code/code.js";
import { Choices } from "../ui/facets.js";
import { Page } from "../ui/page.js";
import { Loaded } from "../ui/loaded.js";
import { linesOf } from "./client-lines.js";
import { CLIENTS } from "./connect-search.js";
import { FirstCall } from "./first-call.js";

const PLACEHOLDER_ROWS = 4;

/** What each client needs to use this server, and whether its first call has arrived. */
export default function ConnectPage() {
  const { client = "claude-code" } = useSearch({ from: "/connect" });
  const navigate = useNavigate({ from: "/connect" });
  const session = useSession();
  const mayMakeKeys = useMay("keys:write");
  return (
    <Page title={connectTexts.title} subtitle={connectTexts.subtitle}>
      <Loaded query={session} rows={PLACEHOLDER_ROWS}>
        {({ sign_in_methods: methods }) => (
          <div className="flex max-w-4xl flex-col gap-5 p-4 md:p-6">
            <Choices
              label={connectTexts.client}
              chosen={client}
              values={CLIENTS.map((value) => ({ value, text: connectTexts.clients[value] }))}
              onChoose={(value) => {
                void navigate({ search: { client: value }, replace: true });
              }}
            />
            <Lines client={client} needsKey={!methods.includes("none")} mayMakeKeys={mayMakeKeys} />
            <FirstCall />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Lines(props: {
  readonly client: (typeof CLIENTS)[number];
  readonly needsKey: boolean;
  readonly mayMakeKeys: boolean;
}) {
  const { client, needsKey } = props;
  return (
    <section aria-label={connectTexts.lines} className="flex min-w-0 flex-col gap-2">
      <p className="text-sm text-muted">{connectTexts.where[client]}</p>
      <Code text={linesOf(client, { origin: window.location.origin, needsKey })} />
      <p className="flex flex-wrap items-center gap-3 text-sm text-muted">
        {needsKey ? connectTexts.key : connectTexts.noKey}
        {needsKey && props.mayMakeKeys && (
          <Link to="/access" className={buttonClass("secondary", "small")}>
            {connectTexts.makeKey}
          </Link>
        )}
      </p>
    </section>
  );
}
