/**
 * The page's language, number format and time zone: the account's preferences, delivered with the page, else the browser's.
 * Read once; after a change of the preferences, the page reloads.
 */
interface Preferences {
  language?: string | null
  time_zone?: string | null
}

/** Pseudo-language for tests: all text in it came from a catalog. */
export const pseudoLanguage = 'en-XA'

/** Local storage key of the language for signed-out users. */
export const languageKey = 'language'

const inBrowser = typeof window !== 'undefined'
const own = inBrowser ? ((window.easydash?.session?.['own'] as Preferences | undefined) ?? null) : null
const kept = inBrowser ? keptLanguage() : null

/** Language of texts. Falls back to the catalogs' English (`translation.ts`). */
export const textLanguage: string = kept === pseudoLanguage ? kept : (own?.language ?? kept ?? 'en')

/**
 * Locale for Intl: the browser's variant (`en-GB`) if it matches the text language. With the pseudo-language it is Greek, so
 * that dates, units or country names in Latin letters reveal code that bypasses Intl.
 */
export const locale: string =
  textLanguage === pseudoLanguage ? 'el' : chooseLocale(textLanguage, inBrowser ? navigator.language : 'en')

/** Time zone of displayed times; undefined for the browser's own. */
export const timeZone: string | undefined = usableZone(own?.time_zone)

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(languageKey)
  } catch {
    // Storage is blocked: use the account's language, else English.
    return null
  }
}

/** The browser's variant of a language, else the language itself. */
export function chooseLocale(wanted: string, browser: string): string {
  const base = (tag: string) => tag.split('-')[0]
  const usable = usableLanguage(browser)
  return base(usable) === base(wanted) ? usable : usableLanguage(wanted)
}

/** Some systems report names that aren't language tags (`en-US@posix`), on which Intl would throw. */
export function usableLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    const plain = (tag.split(/[@.]/)[0] ?? 'en').replaceAll('_', '-')
    return plain === tag ? 'en' : usableLanguage(plain)
  }
}

/** The zone if this browser knows it, else undefined. */
export function usableZone(zone: string | null | undefined): string | undefined {
  if (!zone) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
