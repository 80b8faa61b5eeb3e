/** The base URL of each hosted embedding provider, where no other one is set. */
export const PROVIDER_URLS = {
  openai: "https://api.openai.com/v1",
  cohere: "https://api.cohere.com/v2",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
} as const;
