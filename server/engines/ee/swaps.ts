import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { databaseOf } from './inventory.ts'
import { change, look, mutate, outputOf, settle, stop, type ScriptCall } from './remote.ts'
import { addressesFor } from './replacements.ts'
import { addressOf } from './request.ts'
import { sendPart } from './send-part.ts'
import { enabledSite, workdirOf } from './site-of.ts'

/** How far a restore is on its server. */
type State = 'begun' | 'prepared' | 'swapping' | 'swapped' | 'finished'

/** What puts another state in place: a backup, what a new site is made of, a site or a staging site, or the state before one of these. */
type SwapKind = 'restore' | 'bring_back' | 'fill' | 'move' | 'push' | 'roll_back'

/** The last one of a site. */
interface Swap {
  readonly operation: string
  readonly kind: SwapKind
  readonly what: string
  readonly state: State
  /** It has finished, and what it leaves was not all removed: its server was ended in the middle of that. */
  readonly hasLeft: boolean
}

/** Parts of a restore that a server does detached. */
const works = ['prepare', 'swap', 'finish', 'back'] as const

const workOf = (id: string, work: (typeof works)[number]): string => `ee-${id}-restore-${work}`

/** Where WordPress is in every site that is restored. */
export const workdir = '/var/www/htdocs'

export const callOf = (site: SiteRef, { operation, more = [] }: Work, verb: string): ScriptCall => ({
  script: 'restore',
  args: [site.domain, workdir, site.id, operation, verb, ...more],
  isLong: true,
})

/** Sends a file of what is put in place, once that has begun; returns its SHA-256. */
export const sendFile = (
  context: EeContext,
  site: SiteRef,
  { operation, name }: Pick<Work, 'operation'> & { readonly name: string },
  content: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<string> =>
  sendPart(context, site, { script: 'swap-part', args: [site.domain, operation, name] }, content, signal)

/** The last restore of a site, as its server says; null without one. */
export async function readSwap(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<Swap | null> {
  const call = { ...callOf(site, { operation: '-' }, 'state'), signal, maxBytes: 4_096 }
  const output = outputOf(await look(context, site.server, call))
  const [, operation, kind, what = '', state] =
    /^([a-z0-9-]{1,64}) (restore|bring_back|fill|move|push|roll_back) (all|files|database|parts) (begun|prepared|swapping|swapped|finished)$/m.exec(
      output,
    ) ?? []
  const hasLeft = /^left$/m.test(output)
  return operation === undefined ? null : { operation, kind: kind as SwapKind, what, state: state as State, hasLeft }
}

/** Ids of jobs become words of a file. */
export function operationOf({ operationId }: Pick<StepContext, 'operationId'>): string {
  if (/^[a-z0-9-]{1,64}$/.test(operationId)) return operationId
  throw new TypeError(`Not the id of an operation: ${operationId}`)
}

/** A site that can be restored, and its address. */
export async function runningSite(context: EeContext, site: SiteRef, signal?: AbortSignal) {
  const { row } = await enabledSite(context, site, signal)
  if (workdirOf(row) !== workdir)
    throw new EngineError(
      'unsupported',
      msg`The site is served from a folder inside of its files, which backups would not keep.`,
      {
        nextAction: msg`Restore it on its server.`,
      },
    )
  return { row, url: addressOf({ ...site, isSecure: (row.site_ssl ?? '') !== '' }) }
}

/** What a step on the server is about. */
interface Work {
  readonly operation: string
  readonly more?: readonly string[]
}

/** Steps that bring back the state before the last restore, or before the last push. */
export function bringBackSteps(
  context: EeContext,
  site: SiteRef,
  kind: 'bring_back' | 'roll_back' = 'bring_back',
): EngineStep[] {
  assertSite(site)
  return [
    {
      key: 'prepare',
      label: 'Keep the state of now',
      weight: 2,
      deadlineSeconds: 3_600,
      async run(step) {
        const { row, url } = await runningSite(context, site, step.signal)
        const operation = operationOf(step)
        const more = [kind, 'all', databaseOf(row) ?? row.site_type, '0']
        if ((await begin(context, site, { operation, more }, step.signal)) !== 'begun') return
        const addresses = await addressesOfKept(context, site, url)
        await work(context, site, 'prepare', { operation, more: ['-', '-', '0', '-', ...addresses] }, step)
      },
    },
    swapStep(context, site, (url) => addressesOfKept(context, site, url)),
  ]
}

/** What is kept has the address of before a change of the domain. */
async function addressesOfKept(context: EeContext, site: SiteRef, url: string): Promise<readonly string[]> {
  const call = { ...callOf(site, { operation: '-' }, 'url'), maxBytes: 4_096 }
  const [before] = /^https?:\/\/[a-z0-9.-]{1,253}$/m.exec(outputOf(await look(context, site.server, call))) ?? []
  return before === undefined ? [] : addressesFor({ url: before }, url)
}

/** Puts what was prepared in place of what is served. */
export const swapStep = (
  context: EeContext,
  site: SiteRef,
  addresses: (url: string) => Promise<readonly string[]>,
): EngineStep => ({
  key: 'swap',
  label: 'Put it in place',
  weight: 3,
  deadlineSeconds: 3_600,
  destructive: true,
  async run(step) {
    const { url } = await runningSite(context, site, step.signal)
    const operation = operationOf(step)
    await work(context, site, 'swap', { operation, more: await addresses(url) }, step)
  },
})

/** Begins a restore, or says how far it is. */
export async function begin(context: EeContext, site: SiteRef, about: Work, signal: AbortSignal): Promise<string> {
  const begun = await change(context, site.server, { ...callOf(site, about, 'begin'), signal })
  if (begun.code === 5) throw busy()
  if (begun.code === 6) throw about.more?.[0] === 'roll_back' ? pushNotKept() : restoreNotKept()
  const state = outputOf(begun).trim()
  if (state !== 'begun') await forgetWork(context, site, 'prepare', signal)
  return state
}

/** Forgets a part that a process of ours began and did not forget, because it was ended; follows it to its end first. */
const forgetWork = (context: EeContext, site: SiteRef, name: (typeof works)[number], signal?: AbortSignal) =>
  settle({ context, server: site.server, id: workOf(site.id, name), signal })

const restoreNotKept = () =>
  new EngineError('conflict', msg`The state before the last restore is not kept any more.`, {
    nextAction: msg`Restore another backup.`,
  })

export const pushNotKept = (): EngineError =>
  new EngineError('conflict', msg`The state before the last push is not kept any more.`, {
    nextAction: msg`Push again what is missing.`,
  })

export const busy = () =>
  new EngineError('conflict', msg`Another restore of the site is in progress.`, {
    nextAction: msg`Wait until the other job has ended, or retry the one that did not.`,
  })

/** States in which a work is done already. */
const after: Readonly<Record<(typeof works)[number], readonly (State | null)[]>> = {
  prepare: ['prepared', 'swapping', 'swapped', 'finished'],
  swap: ['swapped', 'finished'],
  finish: ['finished'],
  back: ['finished', null],
}

/** Has the server do a part of a restore. */
export async function work(
  context: EeContext,
  site: SiteRef,
  name: (typeof works)[number],
  about: Work,
  step: Partial<Pick<StepContext, 'signal' | 'log'>> = {},
): Promise<void> {
  await mutate(context, site.server, {
    ...callOf(site, about, name),
    id: workOf(site.id, name),
    signal: step.signal,
    ...(step.log && { onLine: step.log }),
    async isDone() {
      const now = await readSwap(context, site, step.signal)
      if (now?.operation !== about.operation) return after[name].includes(null)
      return after[name].includes(now.state) && !(name === 'finish' && now.hasLeft)
    },
  })
}

/** Keeps the state before. */
export async function finishSwap(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<void> {
  assertSite(site)
  const now = await readSwap(context, site, signal)
  if (now?.state === 'swapped' || now?.hasLeft === true)
    await work(context, site, 'finish', { operation: now.operation }, { signal })
  else await forgetWork(context, site, 'finish', signal)
}

/** What nobody waits for any more must not go on. */
export async function stopSwap(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<void> {
  for (const name of ['prepare', 'swap', 'finish'] as const)
    await stop(context, site.server, workOf(site.id, name), signal)
}

/** Takes back what an operation began and did not finish. */
export async function undoSwap(context: EeContext, site: SiteRef, operation: string): Promise<'undone' | 'finished'> {
  assertSite(site)
  await stopSwap(context, site)
  await forgetWork(context, site, 'back')
  const now = await readSwap(context, site)
  if (now?.operation !== operation) return 'undone'
  if (now.state === 'finished') {
    await finishSwap(context, site)
    return 'finished'
  }
  await work(context, site, 'back', { operation })
  // What ended it may have been finished meanwhile.
  const left = await readSwap(context, site)
  return left?.operation === operation ? 'finished' : 'undone'
}
