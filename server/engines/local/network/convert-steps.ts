import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { SiteNetworks } from '../../site-network.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { forgetSavedDatabase, restoreDatabase, saveDatabase } from '../database/saved-database.ts'
import { changeStep, inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite } from '../site-operations.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { makeNetwork } from './make-network.ts'
import { assertOneName, networkAt, networkHost } from './network-host.ts'

/** Networks of local sites. The record's `conversion` says what to take back, also after a crash. */
export function createLocalNetworks(context: LocalContext): SiteNetworks {
  return {
    convertSteps: (site) => convertSteps(context, site),
    finishConversion: (site) => inTurn(site.id, () => finish(context, site)),
    undoConversion: (site) => inTurn(site.id, () => undo(context, site)),
    isNetwork: async (site) => {
      const { network, conversion } = existingRecord(context.store, site)
      return network !== undefined && conversion === undefined
    },
  }
}

type Work = (record: SiteRecord, step: StepContext) => Promise<void>

function convertSteps(context: LocalContext, site: SiteRef): EngineStep[] {
  managedRecord(context, site)
  const step = (key: string, label: string, limits: { weight: number; deadlineSeconds: number }, work: Work) =>
    changeStep(context, site.id, { key, label, ...limits }, async (own) => {
      const record = await claimConversion(context, site)
      if (record === null) own.log('The site is a network already.')
      else await work(record, own)
    })
  return [
    step('pause', 'Keep visitors out', { weight: 1, deadlineSeconds: 60 }, async (record, own) => {
      await context.awake.sleep(record.id)
      own.log('Visitors see a page that says the site is back in a moment')
    }),
    step('save_database', 'Save the database', { weight: 1, deadlineSeconds: 300 }, (record, own) =>
      keep(context, record, own),
    ),
    step('network', 'Turn on multisite', { weight: 3, deadlineSeconds: 180 }, (record, own) =>
      turnOn(context, record, own),
    ),
    step('check', 'Check that the site answers', { weight: 2, deadlineSeconds: 300 }, async (record, own) => {
      // A retry of the job starts here after everything was taken back.
      if (record.network === undefined) {
        await context.awake.sleep(record.id)
        await turnOn(context, record, own)
      }
      await checkNetwork(context, record, own)
    }),
  ]
}

/** The record, whose change to a network began now or before a restart; null if it is one. */
async function claimConversion(context: LocalContext, site: SiteRef): Promise<SiteRecord | null> {
  const { store } = context
  const record = existingRecord(store, site)
  if (record.network !== undefined && record.conversion === undefined) return null
  if (record.stagingOf !== undefined) {
    throw new EngineError(
      'conflict',
      msg`A staging site can’t become a network: its changes could not be pushed any more.`,
      {
        nextAction: msg`Clone it, and make a network of the clone.`,
      },
    )
  }
  assertOneName({ network: networkAt(context.options, record) }, record.aliases ?? [])
  return store.change(record.id, (now) => {
    if (now.conversion !== undefined) return now
    if (!canChange(now))
      throw new EngineError('conflict', msg`A site can only become a network while it is ready.`, {
        nextAction: msg`Wait until the site is ready.`,
      })
    return { ...now, conversion: {} }
  })
}

async function keep(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  if (context.store.get(record.id)?.conversion?.saved === true) return
  await saveDatabase(context, record, step.signal)
  await context.store.change(record.id, (now) => ({ ...now, conversion: { saved: true } }))
  step.log('Saved the database and wp-config.php')
}

async function turnOn(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  // Again if the change was taken back since: without it, nothing could be.
  await keep(context, record, step)
  await makeNetwork(context, record, step.signal)
  step.log('Created the tables of the network, and wrote its constants to wp-config.php')
}

/** Its homepage and the admin of the network must answer, and not send visitors elsewhere. */
async function checkNetwork(context: LocalContext, record: SiteRecord, { signal, log }: StepContext): Promise<void> {
  const host = networkHost(context.options, record)
  const site = { ...record, server: thisMachine }
  const home = await requestSite(context, site, '/', { signal })
  const admin = await requestSite(context, site, '/wp-admin/network/', { signal })
  const location = admin.headers['location'] ?? ''
  const login = URL.canParse(location, `http://${host}`) ? new URL(location, `http://${host}`) : null
  if (home.status >= 500 || admin.status !== 302 || login?.host !== host || login.pathname !== '/wp-login.php') {
    throw new EngineError(
      'unavailable',
      msg`As a network, the site answered with status ${home.status}, and its network admin with status ${admin.status}.`,
      { nextAction: msg`Look at its error log, then try again.` },
    )
  }
  log(`The home page answered in ${Math.round(home.tookMs)} ms`)
}

async function finish(context: LocalContext, site: SiteRef): Promise<void> {
  const { store, options, awake } = context
  const record = existingRecord(store, site)
  if (record.conversion === undefined) return
  await store.change(record.id, ({ conversion: _done, ...now }) => now)
  if (record.conversion.saved !== true) return
  // The site is a network, whatever becomes of the copy: it counts toward its quota, and its owners can delete it.
  await forgetSavedDatabase(context, record).catch((error: unknown) =>
    options.log.warn('The saved database of a site could not be removed', { site: record.id, error }),
  )
  awake.running(record.id)?.lowerPriority()
}

async function undo(context: LocalContext, site: SiteRef): Promise<'undone' | 'finished'> {
  const { store, awake } = context
  const record = existingRecord(store, site)
  const { conversion } = record
  if (conversion === undefined) return record.network === undefined ? 'undone' : 'finished'
  await awake.sleep(record.id)
  if (conversion.saved === true) await restoreDatabase(context, record)
  await store.change(record.id, ({ conversion: _undone, network: _before, ...now }) => now)
  await awake.sleep(record.id)
  return 'undone'
}
