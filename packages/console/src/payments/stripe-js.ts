/** The script of Stripe's form, which Stripe asks to load from its own host. */
const SCRIPT = "https://js.stripe.com/v3/";

/** What the console uses of Stripe.js. */
export interface StripeJs {
  elements(options: {
    readonly clientSecret: string;
    readonly appearance: { readonly theme: "stripe" | "night" };
  }): StripeElements;
  /** Saves what was typed; the browser leaves the page only where a bank asks for it. */
  confirmSetup(options: {
    readonly elements: StripeElements;
    readonly redirect: "if_required";
    readonly confirmParams: { readonly return_url: string };
  }): Promise<{ readonly error?: { readonly message?: string } }>;
}

export interface StripeElements {
  create(kind: "payment"): StripeElement;
}

export interface StripeElement {
  mount(place: HTMLElement): void;
  on(event: "ready" | "loaderror", listener: () => void): void;
  destroy(): void;
}

declare global {
  interface Window {
    /** Set by Stripe's script. */
    Stripe?: (publishableKey: string) => StripeJs;
  }
}

/** Loads Stripe's script, once. @throws Error when it cannot be loaded. */
export async function loadStripe(publishableKey: string): Promise<StripeJs> {
  if (window.Stripe === undefined) await loadScript();
  if (window.Stripe === undefined) throw new Error("Stripe's script has not defined Stripe");
  return window.Stripe(publishableKey);
}

function loadScript(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.addEventListener("load", () => {
      resolve();
    });
    script.addEventListener("error", () => {
      script.remove();
      reject(new Error("Stripe's script cannot be loaded"));
    });
    document.head.append(script);
  });
}
