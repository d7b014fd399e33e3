import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertInstalled, languageOffers } from '../../translations.ts'
import type { WordPressLanguages } from '../../wordpress-languages.ts'
import { downloadTranslation, listTranslations } from '../core/translations.ts'
import { wordpressOrg } from '../core/wordpress-org.ts'
import type { LocalContext } from '../local-context.ts'
import { readAbout } from '../wordpress-core/core-script.ts'
import { managedRecord, runScript } from './run-script.ts'

/** Where a translation is unpacked; `php/languages.php` knows it, too. */
const stagedFolder = 'wp-content/.easydash-previous/staged'

/** What translations need. */
type LanguageContext = Pick<LocalContext, 'store' | 'awake' | 'options' | 'network' | 'unpackNew' | 'removeNew'>

/** Translations are unpacked beside those in use, and only files of translations are moved into place. */
export function createLocalLanguages(context: LanguageContext): WordPressLanguages {
  return {
    async offered(site, signal = AbortSignal.timeout(30_000)) {
      const { version } = await readAbout(context, managedRecord(context, site), signal)
      const org = wordpressOrg(context.options.wordpressOrgUrl)
      return languageOffers(context.network.isOffline ? null : await listTranslations(org, version, signal))
    },
    install: (site, locale, signal = AbortSignal.timeout(150_000)) => install(context, site, locale, signal),
  }
}

async function install(
  context: LanguageContext,
  site: Parameters<WordPressLanguages['install']>[0],
  locale: string,
  signal: AbortSignal,
): Promise<void> {
  const record = managedRecord(context, site)
  const { version } = await readAbout(context, record, signal)
  const staged = `language-${randomUUID()}`
  const file = join(tmpdir(), `easydash-${staged}.zip`)
  try {
    const org = wordpressOrg(context.options.wordpressOrgUrl)
    await downloadTranslation(org, { version, locale }, { file, signal })
    await context.unpackNew(record, file, `${stagedFolder}/${staged}`, signal)
  } finally {
    await rm(file, { force: true })
  }
  const placed = await runScript(context, record, {
    script: 'languages',
    input: { staged, locale, safe: true },
    signal,
  }).catch(async (error: unknown) => {
    // The script removes what it was given, unless it failed before that.
    await context
      .removeNew(record, `${stagedFolder}/${staged}`)
      .catch((problem: unknown) =>
        context.options.log.warn('A translation that was not put in place could not be removed', { error: problem }),
      )
    throw error
  })
  assertInstalled(placed)
}
