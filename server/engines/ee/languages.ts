import { randomUUID } from 'node:crypto'
import { filesVersion } from '../wordpress-checksums.ts'
import { assertInstalled, languageOffers, listedTranslation } from '../translations.ts'
import type { WordPressLanguages } from '../wordpress-languages.ts'
import { bring } from './bring.ts'
import type { EeContext } from './ee-context.ts'
import { managedSite, runPhp, scriptsOf } from './scripts.ts'

/** Translations, which wordpress.org lists for us. The server downloads them; only files of translations are put in place there. */
export function createEeLanguages(context: EeContext): WordPressLanguages {
  return {
    async offered(site, signal = AbortSignal.timeout(30_000)) {
      const version = await filesVersion(scriptsOf(await managedSite(context, site, signal)), signal)
      return languageOffers(await context.catalogue.translations(version, signal))
    },
    async install(site, locale, signal = AbortSignal.timeout(150_000)) {
      const managed = await managedSite(context, site, signal)
      const version = await filesVersion(scriptsOf(managed), signal)
      const listed = await context.catalogue.translations(version, signal)
      const found = listedTranslation(listed, { version, locale })
      const staged = `language-${randomUUID()}`
      await bring(managed, { staged, language: locale, version: found.version }, signal)
      assertInstalled(await runPhp(managed, 'languages', { staged, locale, safe: true }, signal))
    },
  }
}
