import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { WordPressLanguages } from '../wordpress-languages.ts'
import type { FakeContext } from './fake-context.ts'
import { existingWordPress, writeSite } from './fake-store.ts'

/** Translations that its wordpress.org has. */
const offers = [
  { locale: 'de_DE', name: 'German', native: 'Deutsch' },
  { locale: 'fr_FR', name: 'French (France)', native: 'Français' },
]

/** Translations of the sites of a fake engine. */
export function createFakeLanguages(context: FakeContext): WordPressLanguages {
  return {
    offered: async (site) => {
      existingWordPress(context, site)
      return { reached: true, languages: offers }
    },
    install: async (site, locale) => {
      const known = existingWordPress(context, site)
      if (!offers.some((one) => one.locale === locale)) {
        throw new EngineError('not_found', msg`There is no such translation.`, {
          nextAction: msg`Choose another language.`,
        })
      }
      const languages = [...new Set([...(known.languages ?? []), locale])].filter((one) => one !== 'de_DE')
      writeSite(context, { ...known, languages })
    },
  }
}
