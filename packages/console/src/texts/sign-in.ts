/** The texts of the sign-in, and of the line that shows who is signed in. */
export const signInTexts = {
  title: "Sign in to Steward",
  intro: "Use the credentials that your administrator gave you.",
  apiKey: "API key",
  apiKeyHint: "Begins with stw_. It is sent once, and kept by the server in a session.",
  submit: "Sign in",
  submitting: "Signing in…",
  withProvider: "Continue with single sign-on",
  or: "or",
  out: "Sign out",
  refused:
    "The server does not accept this key. Check that it is complete and has not been revoked.",
  failed: "The sign-in failed. Please try again.",
  noProvider: "The provider of single sign-on does not answer. Please try again in a moment.",
  keyName: (id: string) => `API key ${id}`,
  unavailable:
    "This server offers no sign-in for browsers. Ask its operator to set up API keys or single sign-on.",
} as const;

/** The texts of the choice of the organization. */
export const organizationTexts = {
  label: "Organization",
  switch: "Switch the organization",
  local: "Local",
  hint: "The id of an organization, a UUID. Leave it empty for the server's own.",
  apply: "Switch",
  role: "Role",
  noRole: "None",
  roleHint:
    "This server believes what its callers say. Without a role you may try everything but billing, which admin may see, and the system, which operator may see.",
} as const;
