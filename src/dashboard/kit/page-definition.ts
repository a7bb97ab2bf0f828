import type { Markup } from '../../platform/web/html.js';
import type { Language } from '../../platform/web/language.js';
import type { StoreRole } from '../../stores/index.js';

/** A sentence in both languages of the dashboard. */
export type InBothLanguages = Readonly<Record<Language, string>>;

/**
 * The definition of a page of the dashboard (contract 10.16). A page is a class with `@DashboardPage`. Its methods
 * have `@PageView` or `@PageAction`; each gets the visit and returns what to show. An extension adds its pages in the
 * same way, as controllers of its module.
 */
export interface PageDefinition {
  /** `store`: under `/dashboard/stores/:storeId`; the others under `/dashboard`. `public` needs no sign-in. */
  readonly scope: 'public' | 'user' | 'admin' | 'store';
  /** Address under its scope, without a slash at either end: `payments`. */
  readonly path: string;
  /** Heading, and name in the navigation. */
  readonly name: InBothLanguages;
  /** Place in the navigation, ascending; left out of it without. */
  readonly order?: number;
  /** The least role that may see the page, for pages of a store (contract 15.11). */
  readonly role?: StoreRole;
}

export interface ActionDefinition {
  /** The least role that may do it, for pages of a store. */
  readonly role?: StoreRole;
  /** The method that shows the page again, with what was typed, where the action is refused. */
  readonly refusedTo?: string;
  /**
   * The form brings a file of at most so many bytes: `visit.file`. Its form is `multipart/form-data`, the token
   * first.
   */
  readonly upload?: { readonly maxBytes: number };
  /**
   * The action looks for something that was typed into the form: a 404 is a refusal of the form, not of the address.
   */
  readonly findsTyped?: boolean;
  /** Asked before it is done, on a page of its own: for what cannot be undone. */
  readonly confirm?: InBothLanguages;
}

/** The answers of a page's method. */
export type PageAnswer =
  | {
      readonly content: Markup;
      /** In the title of the browser's window, before the page's name. */
      readonly title?: string;
      readonly status?: number;
      /**
       * The heading of a page that another page leads to, such as one payment; it stands in place of the page's name.
       */
      readonly heading?: string | Markup;
    }
  | {
      /** Where to go now: an address on this server. */
      readonly goTo: string;
    }
  /** The answer has been sent, or is being streamed. */
  | 'sent';

export const PAGE_METADATA = 'joma:dashboard-page';
export const ACTION_METADATA = 'joma:dashboard-action';
