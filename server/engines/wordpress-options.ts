/** Settings of WordPress, by the scripts `options` and `options-undo` wherever they run. */
import * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import { wordpressSettings } from '#shared/responses/wordpress-settings.ts'
import { wordpressSettingNames, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import { EngineError } from './engine.ts'
import type { WordPressSettingsOptions, WordPressSettingsResult } from './site-settings.ts'
import type { RunWordPressScript } from './wordpress-scripts.ts'

const names = z.array(z.enum(wordpressSettingNames)).check(z.maxLength(20))
const result = z.object({ settings: wordpressSettings, conflicts: names, refused: names })

/** See `SiteSettings.readWordPress`. */
export const readOptions = async (run: RunWordPressScript) => (await callOptions(run, {})).settings

/** See `SiteSettings.changeWordPress`. */
export const changeOptions = (
  run: RunWordPressScript,
  changes: Partial<WordPressValues>,
  { expected, operationId }: WordPressSettingsOptions,
): Promise<WordPressSettingsResult> => callOptions(run, { changes, expected, operation: operationId ?? null })

/** See `SiteSettings.undoWordPress`. */
export async function undoOptions(run: RunWordPressScript, operation: string): Promise<void> {
  await run('options-undo', { operation, safe: true })
}

async function callOptions(run: RunWordPressScript, input: Record<string, unknown>): Promise<WordPressSettingsResult> {
  try {
    // The site's own code wrote it.
    return z.parse(result, await run('options', input))
  } catch (error) {
    throw error instanceof EngineError
      ? error
      : new EngineError('unavailable', msg`The site could not tell its settings.`, {
          retryable: true,
          nextAction: msg`Look at the error log of the site.`,
          cause: error,
        })
  }
}

/** Throws EngineError `conflict` for a site without WordPress. */
export function assertHasOptions(siteType: string): void {
  if (siteType === 'wp') return
  throw new EngineError('conflict', msg`Only a WordPress site has these settings.`, {
    nextAction: msg`Choose a WordPress site.`,
  })
}
