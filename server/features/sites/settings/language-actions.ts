import { controller, type Controller } from '#server/contracts/controller.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { isLocale } from '#shared/rules/wordpress-settings.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'

/** Actions about translations of WordPress, which wordpress.org has. */
export function languageActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      language_offers: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'wordpress_settings',
          run: (engine, ref) => engine.languages.offered(ref),
        }),
      install_language: (site, { language }, { tx }) => {
        if (!isLocale(language)) throw new AppError('invalid', msg`Choose a language.`, { field: 'language' })
        return siteCall(deps, tx, site, {
          needs: 'wordpress_settings',
          changes: true,
          unseen: true,
          entry: { detail: untranslated(language) },
          async run(engine, ref) {
            await engine.languages.install(ref, language)
            return engine.settings.readWordPress(ref)
          },
        })
      },
    },
  })
}
