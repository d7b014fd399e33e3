import { useEffect, useEffectEvent, useState } from 'react'
import type * as z from 'zod/mini'
import type { Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { pluginList, storedFacts, type WordPressFacts, type WordPressPlugin } from '#shared/responses/wordpress.ts'
import type { pluginOperations, themeOperations } from '#shared/rules/wordpress-changes.ts'
import { offerUndoOf, useActions } from '#web/documents/actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { waitsForText } from '#web/documents/jobs/waits-for.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { getDoc, runAction } from '#web/lib/api/api.ts'
import { checkedResult, type Checkable } from '#web/lib/api/checked-response.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { t } from './messages.ts'

/** Age from which what was stored is read again when the tab opens. */
const freshMs = 60_000

/** A site's WordPress and the ways to change it. */
export interface WordPress {
  readonly site: Site
  /** Null if nothing was read yet, undefined while that loads. */
  readonly facts: WordPressFacts | null | undefined
  /** The plugins, while nothing else is known of a site that is read for the first time; otherwise null. */
  readonly plugins: readonly WordPressPlugin[] | null
  readonly measuredAt: string | null
  readonly error: ApiError | null
  /** The site is being read at this moment. */
  readonly reading: boolean
  refresh(): Promise<void>
  /** Why nothing can be changed now; null if it can. */
  readonly held: string | null
  /** Why no job can be started now; null if it can: while another one holds the site, it waits in the queue. */
  readonly jobsHeld: string | null
  /** Why the site cannot be changed by this action, which its server may lack; null if it can. */
  heldFor(action: string): string | null
  /** Key of the change that is being sent. */
  readonly changing: string | null
  /** Runs an action that changes the site. Shows a failure in a toast and returns null then. `key` marks what is busy, `before` says what undoes it. */
  change<T>(
    action: string,
    args: Record<string, unknown>,
    options: { key: string; returns?: Checkable<T>; before?: Readonly<Record<string, unknown>> },
  ): Promise<T | true | null>
}

const methodOf = (site: Site, method: string) => ({ dt: 'Site', dn: site.name, method })

/** Shows what was stored at once, and reads the site again if that is older than a minute. */
export function useWordPress(site: Site): WordPress {
  const stored = useMethod('run_doc_method', methodOf(site, 'wordpress_facts'), { verb: 'POST', returns: storedFacts })
  useDocEvents('Site', site.name, () => void stored.reload())
  const [reading, setReading] = useState(false)
  const [plugins, setPlugins] = useState<readonly WordPressPlugin[] | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [changing, setChanging] = useState<string | null>(null)
  const actions = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const gateOf = (action: string) => actions.find(({ name }) => name === action)?.gate
  const openJob = useOpenJob()
  const offline = useOfflineSince() !== null
  const canRead = (site.status === 'Live' || site.status === 'Failed') && !offline

  const refresh = async (): Promise<void> => {
    setReading(true)
    try {
      // They are there sooner than the rest. With something to show already, they would only delay what replaces it.
      if (stored.data?.facts === null) {
        const list: unknown = await runAction('Site', site.name, 'list_plugins')
        setPlugins(checkedResult(pluginList, list).map(({ plugin: id, ...plugin }) => ({ id, ...plugin })))
      }
      const fresh: unknown = await runAction('Site', site.name, 'inspect_wordpress')
      await stored.reload(checkedResult<z.infer<typeof storedFacts>>(storedFacts, fresh))
      setFailure(null)
    } catch (error) {
      setFailure(toApiError(error))
    } finally {
      setReading(false)
      setPlugins(null)
    }
  }

  const known = stored.data
  const open = useEffectEvent(() => {
    const at = parseTime(known?.measured_at ?? null)
    if (canRead && !site.locked_by_job && (!at || Date.now() - at.getTime() > freshMs)) void refresh()
  })
  const isLoaded = known !== undefined
  useEffect(() => {
    if (isLoaded) open()
  }, [isLoaded])

  const change: WordPress['change'] = async (action, args, { key, returns, before }) => {
    if (changing !== null) return null
    setChanging(key)
    try {
      const result: unknown = await runAction('Site', site.name, action, args)
      const job = jobOf(result)
      if (job !== null) offerUndoOf(SiteDoctype, action, { before: { ...site, ...before }, args, job })
      void refetch(docKey('Site', site.name))
      if (job !== null && site.locked_by_job) await tellQueued(job, () => openJob(job))
      await stored.reload()
      return returns ? checkedResult(returns, result) : true
    } catch (error) {
      const label = labelOf(action, args['do'])
      showToast({
        title: t('wp.failed', { action: label }),
        description: fullMessage(toApiError(error)),
        variant: 'danger',
      })
      return null
    } finally {
      setChanging(null)
    }
  }

  // What arrives then moves the list: a click would hit something else.
  const isPartial = plugins !== null && !known?.facts
  const jobsHeld = isPartial ? t('wp.reading_rest') : heldBy(gateOf('set_plugin'), offline)
  return {
    site,
    facts: known?.facts,
    plugins,
    measuredAt: known?.measured_at ?? null,
    error: failure ?? (known ? null : stored.error),
    reading,
    refresh,
    held: site.locked_by_job && !offline ? t('wp.busy') : jobsHeld,
    jobsHeld,
    heldFor(action) {
      const gate = gateOf(action)
      return gate?.enabled === false ? gate.reason : null
    },
    changing,
    change,
  }
}

/** Says which job the new one waits for. */
async function tellQueued(name: string, open: () => void): Promise<void> {
  const job = await getDoc<Job>('Job', name).catch(() => null)
  const waits = job === null ? null : waitsForText(job)
  showToast({
    title: t('wp.queued'),
    ...(waits === null ? {} : { description: waits }),
    action: { label: t('wp.show_job'), onClick: open },
  })
}

/** The job that an action started; null if it started none. */
function jobOf(result: unknown): string | null {
  const job: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'job') : null
  return typeof job === 'string' ? job : null
}

/** What was to be done, for the message of its failure. */
function labelOf(name: string, operation: unknown): string {
  const changes = name === 'set_plugin' ? pluginChanges : name === 'set_theme' ? themeChanges : {}
  const change = Object.entries<() => string>(changes).find(([one]) => one === operation)?.[1]
  const actions: Readonly<Record<string, { label: string }>> = SiteDoctype.actions ?? {}
  return change?.() ?? translateText(actions[name]?.label ?? name)
}

const pluginChanges: Readonly<Record<(typeof pluginOperations)[number], () => string>> = {
  activate: () => t('plugin.activate'),
  deactivate: () => t('plugin.deactivate'),
  update: () => t('plugin.update'),
  delete: () => t('plugin.delete'),
  auto_update_on: () => t('plugin.auto_update'),
  auto_update_off: () => t('plugin.auto_update'),
  rollback: () => t('plugin.roll_back'),
}

const themeChanges: Readonly<Record<(typeof themeOperations)[number], () => string>> = {
  activate: () => t('theme.activate'),
  update: () => t('theme.update'),
  delete: () => t('theme.delete'),
  auto_update_on: () => t('theme.auto_update'),
  auto_update_off: () => t('theme.auto_update'),
  rollback: () => t('theme.roll_back'),
}

function heldBy(
  gate: { readonly enabled: boolean; readonly reason?: string } | undefined,
  offline: boolean,
): string | null {
  if (offline) return t('wp.offline')
  if (gate?.enabled) return null
  return gate?.reason ?? t('wp.not_live')
}
