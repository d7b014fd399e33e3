import { locale } from '#web/lib/locale.ts'

interface Choice {
  value: string
  label: string
}

/** Languages whose texts are complete. */
const languages = ['en']

/** Languages to choose from, under their own names; one that is stored and not (any more) offered stays visible. */
export function languageChoices(stored: string | null): Choice[] {
  const all = stored && !languages.includes(stored) ? [...languages, stored] : languages
  return all.map((value) => ({ value, label: languageName(value) }))
}

function languageName(code: string): string {
  try {
    return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
  } catch {
    // No tag of a language: what is stored is shown as it is.
    return code
  }
}

/** Time zones this browser knows, with their present distance from UTC. */
export function timeZoneChoices(stored: string | null, now: Date = new Date()): Choice[] {
  const known = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
  const all = stored && !known.includes(stored) ? [stored, ...known] : known
  return all.map((value) => ({ value, label: `${value.replaceAll('_', ' ')}${offsetWords(value, now)}` }))
}

/** " (GMT+2)"; nothing for zones without, or names that are none. */
function offsetWords(zone: string, now: Date): string {
  try {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(now)
    const offset = parts.find((part) => part.type === 'timeZoneName')?.value
    return offset && offset !== zone ? ` (${offset})` : ''
  } catch {
    // Stored by another system that knows more zones: its name is enough.
    return ''
  }
}
