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

const known = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
const knownChoices: readonly Choice[] = known.map(choiceOf)

/** Time zones this browser knows; one that is stored and unknown here stays visible. */
export function timeZoneChoices(stored: string | null): readonly Choice[] {
  return stored && !known.includes(stored) ? [choiceOf(stored), ...knownChoices] : knownChoices
}

function choiceOf(zone: string): Choice {
  return { value: zone, label: zone.replaceAll('_', ' ') }
}
