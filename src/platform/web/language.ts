import { readCookie } from './cookies.js';

/** The two languages of every page; Bangla is the default (contract 5.25). */
export type Language = 'bn' | 'en';

/** The same sentences in another language: every key of `Of`, and no other. */
export type SameWords<Of> = Of extends string ? string : { readonly [Key in keyof Of]: SameWords<Of[Key]> };

export const DEFAULT_LANGUAGE: Language = 'bn';

/** Holds what a user chose before, and says nothing else. */
export const LANGUAGE_COOKIE = 'joma_lang';
const LANGUAGE_COOKIE_SECONDS = 365 * 24 * 60 * 60;

const MAX_HEADER_CHARACTERS = 4_096;

export interface LanguageHints {
  /** The value of `?lang=`. */
  query?: unknown;
  /** The `Cookie` header. */
  cookie?: string | undefined;
  /** The `Accept-Language` header. */
  acceptLanguage?: string | undefined;
}

export function otherLanguage(language: Language): Language {
  return language === 'bn' ? 'en' : 'bn';
}

/** `?lang=` wins, then what the user chose before, then what the browser prefers, then Bangla (contract 5.25). */
export function chooseLanguage(hints: LanguageHints): Language {
  return (
    languageOf(hints.query) ??
    languageOf(readCookie(hints.cookie, LANGUAGE_COOKIE)) ??
    preferredLanguage(hints.acceptLanguage) ??
    DEFAULT_LANGUAGE
  );
}

/** The `?lang=` of a request when it names one of the two languages, else null: only that choice is remembered. */
export function languageOf(candidate: unknown): Language | null {
  const value: unknown = Array.isArray(candidate) ? candidate.at(-1) : candidate;
  return value === 'bn' || value === 'en' ? value : null;
}

/** The `Set-Cookie` header that remembers a choice; `secure` when the page is served over TLS. */
export function languageCookie(language: Language, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${String(LANGUAGE_COOKIE_SECONDS)}; SameSite=Lax; HttpOnly`;
  return `${LANGUAGE_COOKIE}=${language}; ${attributes}${secure ? '; Secure' : ''}`;
}

/** The first of our languages in the order of the header's q-values (RFC 9110 §12.5.4); `*` names none of them. */
function preferredLanguage(header: string | undefined): Language | null {
  if (!header || header.length > MAX_HEADER_CHARACTERS) return null;
  let best: Language | null = null;
  let bestQuality = 0;
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = languageOf(tag.split('-')[0]);
    const quality = qualityOf(parameters);
    if (language && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

function qualityOf(parameters: readonly string[]): number {
  const parameter = parameters.find((candidate) => candidate.startsWith('q='));
  if (!parameter) return 1;
  const quality = Number(parameter.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
