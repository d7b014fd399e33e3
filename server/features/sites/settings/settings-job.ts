import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import { parseProtections, protectionsField } from '#shared/rules/site-protections.ts'
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

type SettingsArgs = SiteJobArgs & { change: Partial<BootSettings> }

/** What the site had, as its first step kept it: the document may not show what people set on the server. Null: not read yet. */
function formerSettings({ kept }: Pick<JobContext, 'kept'>): BootSettings | null {
  const { memory_mb: memoryMb, upload_mb: uploadMb, debug_until: debugUntil, protections } = kept
  if (typeof memoryMb !== 'number' || typeof uploadMb !== 'number') return null
  return {
    memoryMb,
    uploadMb,
    debugUntil: typeof debugUntil === 'number' ? debugUntil : null,
    protections: parseProtections(String(protections ?? '')),
  }
}

/** The former values of what is changed: others may have been changed since. */
function beforeOf({ args, kept }: Pick<JobContext<SettingsArgs>, 'args' | 'kept'>): Partial<BootSettings> {
  return Object.fromEntries(Object.entries(formerSettings({ kept }) ?? {}).filter(([name]) => name in args.change))
}

/**
 * A job that changes settings which a site takes up when it starts: reads those that it has, applies the others, loads the homepage,
 * and sets them back if that fails. A site whose homepage failed before keeps them: its debug mode is wanted most of all.
 */
export function settingsJob(
  deps: SitesDeps,
  { type, label }: { readonly type: string; readonly label: (site: string) => string },
): JobDefinition<SettingsArgs> {
  async function setBack(context: JobContext<SettingsArgs>): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'php_limits')
    const { was } = context.args
    const before = beforeOf(context)
    if (Object.keys(before).length > 0) await engine.settings.change(site, before, { isFormer: true })
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
      const watched = watchedSteps(deps, engine, site, {
        key: 'apply',
        label: 'Apply the settings',
        isBack: settingsAreBack,
        apply: async () => void (await engine.settings.change(site, change)),
        undo: ({ kept }) => engine.settings.change(site, beforeOf({ ...context, kept }), { isFormer: true }),
      })
      return [
        {
          key: 'read',
          label: 'Read the settings',
          // A step of its own: what it keeps is stored before anything changes.
          async run(step) {
            const { memoryMb, uploadMb, debugUntil, protections } = await engine.settings.read(site)
            step.keep({
              ...{ memory_mb: memoryMb, upload_mb: uploadMb, debug_until: debugUntil },
              protections: protectionsField(protections),
            })
            const found = bootFieldsOf({ memoryMb, uploadMb, debugUntil, protections })
            await step.transaction((tx) => writeSite(tx, site.id, found))
          },
        },
        ...watched,
      ]
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
