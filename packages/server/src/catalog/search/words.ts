/**
 * The words of a name or a sentence: split at punctuation, at digits and where camel case begins a
 * new word; in lower case, abbreviations written out, without plural and verb endings.
 */
export function wordsOf(text: string): readonly string[] {
  return splitWords(text).map((word) => stem(ABBREVIATIONS.get(word) ?? word));
}

/** The words of a question, without stop words. */
export function questionWords(question: string): readonly string[] {
  const words = splitWords(question).filter((word) => !STOP_WORDS.has(word));
  return [...new Set(words.map((word) => stem(ABBREVIATIONS.get(word) ?? word)))];
}

/** Words that name nearly the same as this one, which is a stem. */
export function relatedWords(word: string): readonly string[] {
  return RELATED.get(word) ?? [];
}

function splitWords(text: string): readonly string[] {
  const spaced = text
    .normalize("NFKC")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return spaced.toLowerCase().match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu) ?? [];
}

/**
 * A light stemmer: it removes the endings of plurals and verbs, which is what table names and
 * questions differ by. Words that it maps wrongly are still found by their n-grams.
 */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  const singular = withoutPlural(word);
  for (const ending of ENDINGS) {
    const base = singular.slice(0, -ending.length);
    if (singular.endsWith(ending) && base.length >= 3 && /[aeiouy]/.test(base)) {
      return withoutDoubling(base);
    }
  }
  return singular.length > 4 && singular.endsWith("e") ? singular.slice(0, -1) : singular;
}

const ENDINGS = ["ation", "ing", "ment", "ion", "ed", "er", "or", "al"];

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** `shipp` from `shipping` is `ship`; a final e was dropped before the ending, too. */
function withoutDoubling(base: string): string {
  if (/([bdgmnprt])\1$/.test(base)) return base.slice(0, -1);
  return base.length > 4 && base.endsWith("e") ? base.slice(0, -1) : base;
}

/** Abbreviations that are usual in names of tables and columns. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acct: "account",
    addr: "address",
    amt: "amount",
    appt: "appointment",
    avg: "average",
    bal: "balance",
    cat: "category",
    cd: "code",
    cnt: "count",
    cust: "customer",
    dept: "department",
    desc: "description",
    dob: "birth",
    doc: "document",
    emp: "employee",
    inv: "invoice",
    loc: "location",
    mfr: "manufacturer",
    mgr: "manager",
    msg: "message",
    org: "organization",
    pct: "percent",
    prod: "product",
    pwd: "password",
    qty: "quantity",
    ref: "reference",
    sched: "schedule",
    tel: "telephone",
    tx: "transaction",
    txn: "transaction",
    usr: "user",
    whse: "warehouse",
    wh: "warehouse",
    yr: "year",
  }),
);

/** Words of questions that are in nearly every question, and so tell no table from another. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all also an and any are as at average be been being best between both but by can could count did " +
    "do does during each every find for from get give had has have having her him his how i if in into is it " +
    "its last largest list longest many me more most much my of on one or our out over per please same she " +
    "should show since so some tell than that the their them then there these they this those to top total " +
    "under up us was we were what when where which while who whom whose why will with within without would you " +
    "your highest lowest least number now still yet ever never right currently current he not no"
  ).split(" "),
);

/** Groups of words that people use for the same thing in business data. */
const SYNONYMS: readonly string[] = [
  "customer client buyer shopper purchaser",
  "employee staff worker personnel colleague",
  "salary pay wage compensation payroll earn",
  "order purchase buy bought",
  "invoice bill billing",
  "doctor physician clinician",
  "nurse caregiver",
  "student pupil learner",
  "teacher instructor professor lecturer faculty",
  "course class",
  "grade mark score",
  "vehicle car truck van automobile",
  "movie film",
  "song track",
  "vendor supplier",
  "product item article goods merchandise",
  "warehouse depot storehouse",
  "medicine drug medication pharmaceutical",
  "illness disease diagnosis condition",
  "price cost fee charge rate tariff",
  "manager supervisor boss",
  "company organization business firm enterprise",
  "shipment delivery dispatch consignment parcel ship deliver",
  "employment job position role post",
  "vacancy opening",
  "leave absence vacation holiday",
  "booking reservation book reserve",
  "guest visitor",
  "flight plane",
  "passenger traveler traveller rider",
  "house home property dwelling",
  "landlord owner",
  "tenant renter lessee",
  "phone telephone mobile",
  "stock inventory",
  "refund reimbursement",
  "complaint grievance",
  "message chat",
  "ticket case issue",
  "error failure fault defect bug",
  "repair maintenance fix service",
  "machine equipment device asset",
  "loan credit mortgage lend borrow",
  "payment transaction pay",
  "revenue sale income turnover",
  "expense spending expenditure spend spent",
  "tax vat duty levy",
  "city town municipality",
  "country nation",
  "member subscriber",
  "club association",
  "donor contributor",
  "donation gift contribution",
  "patient",
  "visit encounter appointment",
  "plan subscription",
  "meal dish food menu",
  "recipe formula",
  "harvest yield crop",
  "animal pet livestock",
  "match game fixture",
  "player athlete",
  "team squad",
  "court tribunal",
  "lawsuit litigation case",
  "lawyer attorney counsel",
  "contract agreement",
  "claim",
  "policy coverage",
  "outage interruption blackout",
  "meter gauge reading",
  "electricity power energy",
  "author writer",
  "book title",
  "borrow checkout loan",
  "coupon voucher discount promotion",
  "campaign advertisement ad",
  "prospect lead",
  "review rating feedback",
  "cancel churn",
  "hire recruit",
  "fire terminate dismiss",
  "late overdue delay",
  "address street",
  "zip postal postcode",
  "gender sex",
  "photo image picture",
  "file document attachment",
  "user account login",
  "permission privilege right",
  "log audit",
];

const RELATED: ReadonlyMap<string, readonly string[]> = relatedByWord();

function relatedByWord(): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, Set<string>>();
  for (const group of SYNONYMS) {
    const stems = [...new Set(group.split(" ").map(stem))];
    for (const word of stems) {
      const others = related.get(word) ?? new Set();
      for (const other of stems) if (other !== word) others.add(other);
      related.set(word, others);
    }
  }
  return new Map([...related].map(([word, others]) => [word, [...others]]));
}
