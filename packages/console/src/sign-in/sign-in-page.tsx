import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { client } from "../data/client.js";
import { useSession } from "../data/session.js";
import { usePageTitle } from "../shell/page-title.js";
import { signInTexts } from "../texts/sign-in.js";
import { Button, buttonClass } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { Failure, InlineFailure, Skeleton } from "../ui/states.js";

/** Where people sign in who are not known to the server yet. */
export default function SignInPage() {
  usePageTitle(signInTexts.title);
  const { return_to: returnTo = "/", error } = useSearch({ from: "/sign-in" });
  const session = useSession();
  const isSignedIn = session.data?.caller !== undefined;
  useEffect(() => {
    // Reloading the page drops all data that was loaded before the sign-in.
    if (isSignedIn) window.location.replace(returnTo);
  }, [isSignedIn, returnTo]);
  return (
    <main className="flex min-h-full flex-col items-center justify-center gap-6 p-6">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-xl border bg-raised p-6 shadow-float">
        <div>
          <h1 className="text-lg font-semibold tracking-tight">{signInTexts.title}</h1>
          <p className="text-sm text-muted">{signInTexts.intro}</p>
        </div>
        {error !== undefined && (
          <InlineFailure
            error={new Error(error === "unavailable" ? signInTexts.noProvider : signInTexts.failed)}
          />
        )}
        {session.isPending && <Skeleton rows={2} />}
        {session.error !== null && (
          <Failure error={session.error} onRetry={() => void session.refetch()} />
        )}
        {session.data !== undefined && (
          <Methods methods={session.data.sign_in_methods} returnTo={returnTo} />
        )}
      </div>
    </main>
  );
}

function Methods(props: {
  readonly methods: readonly ("none" | "api_key" | "openid")[];
  readonly returnTo: string;
}) {
  const hasKeys = props.methods.includes("api_key");
  const hasProvider = props.methods.includes("openid");
  if (!hasKeys && !hasProvider) return <p className="text-sm">{signInTexts.unavailable}</p>;
  return (
    <>
      {hasProvider && (
        <a
          href={`/auth/login?return_to=${encodeURIComponent(props.returnTo)}`}
          className={buttonClass("primary")}
        >
          {signInTexts.withProvider}
        </a>
      )}
      {hasProvider && hasKeys && (
        <p className="text-center text-xs text-muted" aria-hidden>
          {signInTexts.or}
        </p>
      )}
      {hasKeys && <KeyForm returnTo={props.returnTo} />}
    </>
  );
}

function KeyForm({ returnTo }: { readonly returnTo: string }) {
  const [key, setKey] = useState("");
  const signIn = useMutation({
    mutationFn: (apiKey: string) => client.session.signIn(apiKey),
    onSuccess: () => {
      window.location.replace(returnTo);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(key.trim());
      }}
      className="flex flex-col gap-3"
    >
      <Field
        id="api-key"
        label={signInTexts.apiKey}
        hint={signInTexts.apiKeyHint}
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        value={key}
        onChange={(event) => {
          setKey(event.target.value);
        }}
      />
      {signIn.error !== null && <InlineFailure error={signIn.error} />}
      <Button type="submit" look="primary" disabled={signIn.isPending || key.trim() === ""}>
        {signIn.isPending ? signInTexts.submitting : signInTexts.submit}
      </Button>
    </form>
  );
}
