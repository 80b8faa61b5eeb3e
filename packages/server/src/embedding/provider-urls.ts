/** The default base URL of each hosted embedding provider. */
export const PROVIDER_URLS = {
  openai: "https://api.openai.com/v1",
  cohere: "https://api.cohere.com/v2",
  gemini: "https://generativelanguage.googleapis.com/v1beta",
} as const;
