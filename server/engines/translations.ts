/** What engines have in common that install translations of WordPress. */
import { msg } from '#shared/localized-message.ts'
import type { LanguageOffers } from '#shared/responses/wordpress-languages.ts'
import { EngineError } from './engine.ts'

/** A translation of WordPress on wordpress.org. */
export interface Translation {
  readonly locale: string
  /** Version of WordPress it was made for, which may be an earlier one of the same series. */
  readonly version: string
  readonly name: string
  readonly native: string
}

/** See `WordPressLanguages.offered`. `listed`: null if wordpress.org did not answer. */
export const languageOffers = (listed: readonly Translation[] | null): LanguageOffers => ({
  reached: listed !== null,
  languages: (listed ?? []).map(({ locale, name, native }) => ({ locale, name, native })),
})

/** The translation to install. Throws EngineError `not_found` or `unavailable`. */
export function listedTranslation(
  listed: readonly Translation[] | null,
  { version, locale }: { readonly version: string; readonly locale: string },
): Translation {
  if (listed === null) {
    throw new EngineError('unavailable', msg`wordpress.org can’t be reached.`, {
      retryable: true,
      nextAction: msg`Try again later.`,
    })
  }
  const one = listed.find((translation) => translation.locale === locale)
  if (one === undefined) {
    throw new EngineError('not_found', msg`wordpress.org has no translation ${locale} for WordPress ${version}.`, {
      nextAction: msg`Choose another language.`,
    })
  }
  return one
}

/** Throws EngineError `unavailable` unless the script `languages` put the translation in place. */
export function assertInstalled({ installed }: Readonly<Record<string, unknown>>): void {
  if (installed === true) return
  throw new EngineError('unavailable', msg`The translation could not be put in place.`, {
    retryable: true,
    nextAction: msg`Make room within the quota of the site, then try again.`,
  })
}
