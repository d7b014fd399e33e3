import { createHash } from 'node:crypto'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { comparisonStep, planChanged, type KnownItems } from '../compare-sides.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { PushChoice, SiteStaging } from '../site-staging.ts'
import { nobodyStays } from '../wordpress-person.ts'
import { assertSite } from './arguments.ts'
import { answerStep } from './create-steps.ts'
import type { EeContext } from './ee-context.ts'
import { encodedPath } from './files-call.ts'
import { syncUsers } from './login.ts'
import { comparePair, takesDatabase, type CommonState, type ComparedPair } from './push-plan.ts'
import { change, outputOf } from './remote.ts'
import { changesSincePush, rememberSteps, type Pair } from './remember-push.ts'
import { addressesFor } from './replacements.ts'
import { existingSite } from './site-of.ts'
import { contentNow, keepContent, keptContentOf, readAbout } from './staging-content.ts'
import {
  begin,
  bringBackSteps,
  busy,
  callOf,
  finishSwap,
  operationOf,
  readSwap,
  runningSite,
  sendFile,
  swapStep,
  undoSwap,
  work,
  workdir,
} from './swaps.ts'
import { tablePrefixOf } from './wp.ts'

/** Pushes between sites of one server. Files are merged there; a database takes the place of the other one. */
export function createEeStaging(context: EeContext): SiteStaging {
  return {
    async read(live) {
      await existingSite(context, live)
      const [swap, { keptAt }] = [await readSwap(context, live), await readAbout(context, live)]
      const isPush = swap?.kind === 'push' || swap?.kind === 'roll_back'
      const changing = isPush && swap.state !== 'finished'
      return { changing, kept: keptAt === null || changing ? null : { at: keptAt } }
    },
    planSteps: (live, staging, keep) => planSteps(context, live, staging, keep),
    pushSteps: (live, staging, choice) => pushSteps({ context, live, staging }, choice),
    rememberSteps: (live, staging) => rememberSteps({ context, live, staging }),
    rollBackSteps: (live) => [
      ...bringBackSteps(context, live, 'roll_back'),
      { ...answerStep(context, live), ...checkStep },
    ],
    changesSincePush: (live, signal) => changesSincePush(context, live, signal),
    finish: (live) => finishSwap(context, live),
    undo: (live, operation) => undoSwap(context, live, operation),
  }
}

const checkStep = { key: 'check', label: 'Check that the site answers', weight: 1 } as const

/** Throws EngineError `conflict` if nothing can be pushed between them now. */
async function assertPair({ context, live, staging }: Pair, signal: AbortSignal): Promise<void> {
  assertSite(live)
  await runningSite(context, live, signal)
  await runningSite(context, staging, signal)
  const { of } = await readAbout(context, staging, signal)
  if (of?.id !== live.id || live.server.id !== staging.server.id)
    throw new EngineError('conflict', msg`The site is no staging site of the other one.`, {
      nextAction: msg`Create a staging site.`,
    })
}

function planSteps(
  context: EeContext,
  live: SiteRef,
  staging: SiteRef,
  keep: (plan: PushPlan) => Promise<void>,
): EngineStep[] {
  return [comparisonStep(3_600, async (step) => (await compare({ context, live, staging }, step)).plan, keep)]
}

async function compare(pair: Pair, step: Pick<StepContext, 'signal' | 'log' | 'progress'>): Promise<ComparedPair> {
  const { context, live, staging } = pair
  await assertPair(pair, step.signal)
  const { base, start } = await commonState(pair, step.signal)
  step.progress(0.1)
  const ours = await contentNow(context, staging, step)
  step.progress(0.5)
  const theirs = await contentNow(context, live, step)
  step.progress(0.9)
  return comparePair({ base, start, staging: ours, live: theirs })
}

/** What both were like after the last push between them, while the state before it is kept, or when staging was created. */
async function commonState({ context, live, staging }: Pair, signal: AbortSignal): Promise<CommonState> {
  for (const [site, names] of [
    [live, [`pushed-base-${staging.id}`, `pushed-start-${staging.id}`]],
    [staging, ['base', 'start']],
  ] as const) {
    const base = await keptContentOf(context, site, names[0], signal)
    const start = await keptContentOf(context, site, names[1], signal)
    if (base !== null && start !== null) return { base, start }
  }
  throw new EngineError('conflict', msg`What both sites were like when staging was created is not known.`, {
    nextAction: msg`Create a new staging site, and bring your changes there.`,
  })
}

function pushSteps(pair: Pair, choice: PushChoice): EngineStep[] {
  const { context, live, staging } = pair
  return [
    {
      key: 'pause',
      label: 'Keep visitors out',
      weight: 1,
      deadlineSeconds: 120,
      async run(step) {
        await assertPair(pair, step.signal)
        const operation = operationOf(step)
        const more = ['push', 'all', live.siteType, '0']
        await begin(context, live, { operation, more }, step.signal)
        await changeSwap(pair, operation, 'close', step)
      },
    },
    {
      key: 'bring_together',
      label: 'Copy the site, and bring in the files',
      weight: 6,
      deadlineSeconds: 7_200,
      run: (step) => bringTogether(pair, choice, step),
    },
    swapStep(context, live, async (url) => {
      const { url: before } = await runningSite(context, staging)
      return addressesFor({ url: before }, url)
    }),
    {
      key: 'settle',
      label: 'Remove users that login links created',
      weight: 1,
      deadlineSeconds: 300,
      async run({ log, signal }) {
        if ((await readSwap(context, live, signal))?.what === 'files') return
        // Those of the site itself, too: whoever comes by a link gets a user again.
        const { removed } = await syncUsers(context, live, nobodyStays(''))
        log(`Removed users that login links had created (${removed})`)
      },
    },
    { ...answerStep(context, live), ...checkStep },
  ]
}

/** Has the server put together what takes the place of what is served. */
async function bringTogether(pair: Pair, choice: PushChoice, step: StepContext): Promise<void> {
  const { context, live, staging } = pair
  const { signal } = step
  const operation = operationOf(step)
  const now = await readSwap(context, live, signal)
  if (now?.operation === operation && now.state !== 'begun') return
  const {
    plan,
    changes,
    base,
    start,
    staging: ours,
  } = await compare(pair, { ...step, progress: (part) => step.progress(part / 2) })
  const { files, database } = choice.digests
  if (choice.files && plan.files.digest !== files) throw planChanged()
  if (choice.database && plan.database?.digest !== database) throw planChanged()
  const wanted = choice.files
    ? changes.filter(
        ({ live: other, id }) => other === null || choice.takeAll.includes('files') || choice.take.includes(id),
      )
    : []
  const withDatabase = choice.database && takesDatabase(plan.database, choice)
  if (withDatabase) await assertSamePrefix(pair, signal)
  await keepContent(context, staging, 'sent-base', base, signal)
  const sent = { files: ours.files, database: withDatabase ? ours.database : start.database }
  await keepContent(context, staging, 'sent-start', sent, signal)
  const withFiles = wanted.length > 0 || !withDatabase
  await changeSwap(pair, operation, 'choose', step, withFiles ? (withDatabase ? 'all' : 'files') : 'database')
  const send = (name: string, paths: readonly string[]) =>
    sendFile(context, live, { operation, name }, listOf(paths), signal)
  const removed = wanted.filter(({ what }) => what === 'delete').map(({ key }) => key)
  const taken = wanted.filter(({ what }) => what !== 'delete').map(({ key }) => key)
  const [take, remove] = [await send('take', taken), await send('remove', removed)]
  const more = [staging.domain, take, '0', remove, sumOf(taken, ours.files)]
  await work(context, live, 'prepare', { operation, more }, step)
  step.log(`Files of staging: ${taken.length} brought in, ${removed.length} removed`)
  step.log(withDatabase ? 'The database of staging takes the place of that of the site' : 'The database stays as it is')
}

/** Paths as `remote/restore-push.sh` reads them. */
async function* listOf(paths: readonly string[]): AsyncGenerator<Buffer, void, undefined> {
  for (const path of paths) yield Buffer.from(`${encodedPath(path)}\n`)
}

/** The SHA-256 of what `sha256sum -z` says of files. */
function sumOf(paths: readonly string[], files: KnownItems): string {
  const sum = createHash('sha256')
  for (const path of paths) sum.update(`${files.get(path)?.hash}  ./${path}\0`)
  return sum.digest('hex')
}

async function changeSwap(
  { context, live }: Pair,
  operation: string,
  verb: 'close' | 'choose',
  { signal }: Pick<StepContext, 'signal'>,
  ...more: readonly string[]
): Promise<void> {
  const changed = await change(context, live.server, { ...callOf(live, { operation, more }, verb), signal })
  if (changed.code === 5) throw busy()
  outputOf(changed)
}

/** The configuration of the site stays, so it must name the tables that come. */
async function assertSamePrefix({ context, live, staging }: Pair, signal: AbortSignal): Promise<void> {
  const prefixOf = (site: SiteRef) => tablePrefixOf(context, site, workdir, signal)
  if ((await prefixOf(live)) !== (await prefixOf(staging)))
    throw new EngineError('conflict', msg`The configurations of the two sites name other tables.`, {
      nextAction: msg`Push the files alone, or create a new staging site.`,
    })
}
