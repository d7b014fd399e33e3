/** Days for people, and times of the wire: the part of `format.ts` that public pages need, too. */

/** The reader's language, as Intl takes it. */
export const language = usableLanguage(typeof navigator === 'undefined' ? 'en' : navigator.language)

/** Some systems report names that are no language tags (`en-US@posix`); Intl would throw on them. */
function usableLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    const plain = (tag.split(/[@.]/)[0] ?? 'en').replaceAll('_', '-')
    return plain === tag ? 'en' : usableLanguage(plain)
  }
}

/** A wire time as a Date; null for nothing or nonsense. */
export function parseTime(value: string | null | undefined): Date | null {
  if (!value) return null
  const match = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(\.\d{1,6})?)?(?:Z)?$/.exec(value)
  if (!match) return null
  const [, day, clock = '00:00:00', fraction = ''] = match
  const date = new Date(`${day}T${clock}${fraction.slice(0, 4)}Z`)
  return Number.isNaN(date.getTime()) ? null : date
}

const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })

/** The day alone, e.g. "20 Nov 2025". '' for no time. */
export function formatDay(value: string | Date | null | undefined): string {
  const date = value instanceof Date ? value : parseTime(value)
  return date ? day.format(date) : ''
}
