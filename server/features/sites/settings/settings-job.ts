import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { watchedSteps } from '../watched-change.ts'
import { bootFieldsOf, settingsAreBack, type BootSettings } from './settings-values.ts'

type SettingsArgs = SiteJobArgs & { before: BootSettings; change: Partial<BootSettings> }

/** The former values of what is changed: others may have been changed since, before a retry. */
function beforeOf({ before, change }: SettingsArgs): Partial<BootSettings> {
  return Object.fromEntries(Object.entries(before).filter(([name]) => name in change))
}

/**
 * A job that changes settings which a site takes up when it starts: applies them, loads the homepage, and sets them back if
 * that fails. A site whose homepage failed before keeps them: its debug mode is wanted most of all.
 */
export function settingsJob(
  deps: SitesDeps,
  { type, label }: { readonly type: string; readonly label: (site: string) => string },
): JobDefinition<SettingsArgs> {
  async function setBack(context: JobContext<SettingsArgs>): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'php_limits')
    const { was } = context.args
    const before = beforeOf(context.args)
    await engine.settings.change(site, before, { isFormer: true })
    await context.transaction((tx) => writeSite(tx, site.id, { ...bootFieldsOf(before), status: was }))
  }

  return {
    type,
    label: ({ referenceTitle }) => label(referenceTitle),
    deadlineSeconds: 300,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => settingsAreBack,

    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Live', 'Failed']),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'php_limits')
      const { change } = context.args
      return watchedSteps(deps, engine, site, {
        key: 'apply',
        label: 'Apply the settings',
        isBack: settingsAreBack,
        apply: async () => void (await engine.settings.change(site, change)),
        undo: () => engine.settings.change(site, beforeOf(context.args), { isFormer: true }),
      })
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { ...bootFieldsOf(context.args.change), status: 'Live' })
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => setBack(context)),

    async canceled(context) {
      await setBack(context)
      return msg`the site keeps its settings`
    },
  }
}
