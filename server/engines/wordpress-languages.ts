/** Translations of WordPress itself. */
import type { LanguageOffers } from '#shared/responses/wordpress-languages.ts'
import type { SiteRef } from './site-ref.ts'

/** What every engine can do with translations of WordPress. Which ones a site has is in its settings (`readWordPress`). */
export interface WordPressLanguages {
  /** Translations that can be had for the site's version. Throws EngineError `unsupported` for a site without WordPress. */
  offered(site: SiteRef, signal?: AbortSignal): Promise<LanguageOffers>
  /**
   * Adds a translation, or renews it; the language of the site stays. Only files of translations are taken, none of them code.
   * Throws EngineError `not_found` if there is none for the site's version, `unavailable` if wordpress.org can't be reached.
   * @param locale as WordPress names it, e.g. `de_DE`; checked by `isLocale`
   */
  install(site: SiteRef, locale: string, signal?: AbortSignal): Promise<void>
}
