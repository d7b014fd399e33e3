interface Choice {
  value: string
  label: string
}

/** Languages with complete translations. */
const languages = ['en']

/** Selectable languages with their native names; a stored one that isn't offered (anymore) stays selectable. */
export function languageChoices(stored: string | null): Choice[] {
  const all = stored && !languages.includes(stored) ? [...languages, stored] : languages
  return all.map((value) => ({ value, label: languageName(value) }))
}

function languageName(code: string): string {
  try {
    return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
  } catch {
    // Not a language tag: show the stored value.
    return code
  }
}
