import * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import { wordpressSettings, type WordPressSettings } from '#shared/responses/wordpress-settings.ts'
import { wordpressSettingNames, type WordPressValues } from '#shared/rules/wordpress-settings.ts'
import { EngineError } from '../../engine.ts'
import type { WordPressSettingsOptions, WordPressSettingsResult } from '../../site-settings.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from '../wordpress/run-script.ts'

const names = z.array(z.enum(wordpressSettingNames)).check(z.maxLength(20))
const result = z.object({ settings: wordpressSettings, conflicts: names, refused: names })

/** The settings of WordPress, read in the site's own process. */
export async function readWordPress({ awake }: { awake: AwakeSites }, record: SiteRecord): Promise<WordPressSettings> {
  return (await callOptions(awake, record, {})).settings
}

/** See `SiteSettings.changeWordPress`. */
export async function changeWordPress(
  { awake }: { awake: AwakeSites },
  record: SiteRecord,
  changes: Partial<WordPressValues>,
  { expected, operationId }: WordPressSettingsOptions,
): Promise<WordPressSettingsResult> {
  return callOptions(awake, record, { changes, expected, operation: operationId ?? null })
}

/** See `SiteSettings.undoWordPress`. */
export async function undoWordPress(context: ScriptContext, record: SiteRecord, operation: string): Promise<void> {
  await runScript(context, record, { script: 'options-undo', input: { operation, safe: true } })
}

async function callOptions(
  awake: AwakeSites,
  record: SiteRecord,
  input: Record<string, unknown>,
): Promise<WordPressSettingsResult> {
  if (record.siteType !== 'wp')
    throw new EngineError('conflict', msg`Only a WordPress site has these settings.`, {
      nextAction: msg`Choose a WordPress site.`,
    })
  const release = awake.hold(record.id)
  try {
    const process = await awake.wake(record.id)
    // The site's own code wrote it.
    return z.parse(result, (await process.call('options', input)).value)
  } catch (error) {
    throw error instanceof EngineError
      ? error
      : new EngineError('unavailable', msg`The site could not tell its settings.`, {
          retryable: true,
          nextAction: msg`Look at the error log of the site.`,
          cause: error,
        })
  } finally {
    release()
  }
}
