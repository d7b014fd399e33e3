/**
 * Whose words, numbers and clock a page uses: those of the account, as the server delivered the page with them, else the
 * browser's. They are read once: after a change of the preferences the page is loaded again.
 */
interface Preferences {
  language?: string | null
  time_zone?: string | null
}

/** The made-up language of tests: whatever is read in it came from a catalogue. */
export const pseudoLanguage = 'en-XA'

/** Where a browser remembers the language for people who are signed out. */
export const languageKey = 'language'

const inBrowser = typeof window !== 'undefined'
const own = inBrowser ? ((window.easydash?.session?.['own'] as Preferences | undefined) ?? null) : null
const kept = inBrowser ? keptLanguage() : null

/** Language of texts; the catalogues' English where there are none in it (`translation.ts`). */
export const textLanguage: string = kept === pseudoLanguage ? kept : (own?.language ?? kept ?? 'en')

/**
 * What Intl formats by: the browser's own variant (`en-GB`) where it is one of the language of the texts. Beside the
 * made-up language it is Greek: a date, a unit or a name of a country in Latin letters is one that did not ask Intl.
 */
export const locale: string =
  textLanguage === pseudoLanguage ? 'el' : chooseLocale(textLanguage, inBrowser ? navigator.language : 'en')

/** What times are shown in; undefined for the browser's own zone. */
export const timeZone: string | undefined = usableZone(own?.time_zone)

function keptLanguage(): string | null {
  try {
    return localStorage.getItem(languageKey)
  } catch {
    // Storage that is switched off: the language of the account, else English.
    return null
  }
}

/** The browser's variant of a language, else the language. */
export function chooseLocale(wanted: string, browser: string): string {
  const base = (tag: string) => tag.split('-')[0]
  const usable = usableLanguage(browser)
  return base(usable) === base(wanted) ? usable : usableLanguage(wanted)
}

/** Some systems report names that are no language tags (`en-US@posix`); Intl would throw on them. */
export function usableLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    const plain = (tag.split(/[@.]/)[0] ?? 'en').replaceAll('_', '-')
    return plain === tag ? 'en' : usableLanguage(plain)
  }
}

/** A zone this browser knows, else undefined. */
export function usableZone(zone: string | null | undefined): string | undefined {
  if (!zone) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
