import { locale } from '#web/lib/i18n/locale.ts'

const languages = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' })

/** Name of a locale of WordPress, e.g. "German (Germany)"; the locale itself if it has none. */
export function languageLabel(wordpress: string): string {
  const [language = '', region, variant] = wordpress.split('_')
  const isRegion = region !== undefined && /^(?:[A-Z]{2}|[0-9]{3})$/.test(region)
  try {
    const name = languages.of(isRegion ? `${language}-${region}` : language)
    if (name === undefined) return wordpress
    const rest = isRegion ? variant : (region ?? variant)
    return rest === undefined ? name : `${name}, ${rest}`
  } catch (error) {
    if (error instanceof RangeError) return wordpress
    throw error
  }
}
