import { randomUUID } from 'node:crypto'
import { createTurns } from '#server/platform/turns.ts'
import { msg } from '#shared/localized-message.ts'
import { maxComparedBytes } from '../file-comparison.ts'
import {
  askCore,
  assertCorePhp,
  assertCoreVersion,
  callCore,
  coreLabels,
  coreStages,
  nothingKept,
  offeredVersions,
  unknownCore,
  type CoreStage,
} from '../core-change.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertPristine, filesVersion } from '../wordpress-checksums.ts'
import type { CoreTarget, WordPressCore } from '../wordpress-core.ts'
import { bring } from './bring.ts'
import { contentOf } from './checksums.ts'
import { beginCore, coreAct, coreState } from './core-state.ts'
import type { EeContext } from './ee-context.ts'
import { managedSite, runPhp, scriptsOf, type ManagedSite } from './scripts.ts'
import { setClosed } from './settings.ts'

/** Where `core.php` finds new files. */
const incoming = 'wp-content/.easydash-previous/core/incoming'

interface Change {
  readonly managed: ManagedSite
  readonly to: CoreTarget
  readonly step: StepContext
}

const work: Readonly<Record<CoreStage, (change: Change) => Promise<void>>> = {
  target: checkTarget,
  unpack,
  async pause({ managed, step }) {
    await setClosed(managed.context, managed.site, true, step.signal)
    step.log('Visitors see a page that says the site is back in a moment')
  },
  async save({ managed, step }) {
    await coreAct(managed, 'save', step.operationId, { signal: step.signal })
    step.log('Kept the database as it is')
  },
  replace,
  async upgrade({ managed, step }) {
    const { changed } = await runPhp(managed, 'upgrade', { safe: true }, step.signal)
    step.log(changed === true ? 'WordPress updated its database' : 'The database needs no update')
  },
  async verify({ managed, to, step }) {
    const version = await filesVersion(scriptsOf(managed), step.signal)
    if (!('previous' in to)) assertCoreVersion(version, to.version)
    step.log(`The site has WordPress ${version}`)
  },
}

/** Changes WordPress itself by the script of the local engine. The server downloads it, and what came is compared with what is published. */
export function createEeCore(context: EeContext): WordPressCore {
  const inTurn = createTurns()
  const manage = (site: SiteRef, signal?: AbortSignal) => managedSite(context, site, signal)
  return {
    async versions(site, signal = AbortSignal.timeout(30_000)) {
      const installed = await filesVersion(scriptsOf(await manage(site, signal)), signal)
      return offeredVersions(installed, [], await context.catalogue.releases(signal))
    },
    changeSteps: (site, to) =>
      coreStages.map((stage) => ({
        key: stage,
        ...coreLabels[stage],
        run: async (step) => {
          await inTurn(site.id, async () => advance({ managed: await manage(site, step.signal), to, step }, stage))
          step.progress(1)
        },
      })) satisfies EngineStep[],
    finishChange: (site) => inTurn(site.id, async () => finish(await manage(site))),
    undoChange: (site, operation) => inTurn(site.id, async () => undo(await manage(site), operation)),
  }
}

/** Runs what is not done yet up to a stage: everything, if the change was taken back since. */
async function advance(change: Change, until: CoreStage): Promise<void> {
  const { managed, step } = change
  const { operationId, signal } = step
  const begun = await beginCore(managed, operationId, signal)
  // What an earlier change left behind.
  if (begun === 0) await callCore(scriptsOf(managed), { act: 'clear', mysql: true }, signal)
  for (const stage of coreStages.slice(begun, coreStages.indexOf(until) + 1)) {
    signal.throwIfAborted()
    await work[stage](change)
    await coreAct(managed, 'done', operationId, { parts: coreStages.indexOf(stage) + 1, signal })
  }
}

async function checkTarget({ managed, to, step }: Change): Promise<void> {
  const about = await askCore(scriptsOf(managed), step.signal)
  if ('previous' in to) {
    if (about.kept === null) throw nothingKept()
    assertCorePhp(about.kept.version, about.kept.php, managed.site.phpVersion)
    step.log(`WordPress ${about.kept.version} is kept on the site`)
    return
  }
  const releases = await managed.context.catalogue.releases(step.signal)
  if (releases === null)
    throw new EngineError('unavailable', msg`wordpress.org can’t be reached.`, {
      retryable: true,
      nextAction: msg`Try again later.`,
    })
  if (!releases.some(({ version }) => version === to.version)) throw unknownCore(to.version)
  step.log(`WordPress ${to.version} is offered; the site has ${about.version}`)
}

async function unpack({ managed, to, step }: Change): Promise<void> {
  if ('previous' in to) return
  const { version } = to
  const { signal } = step
  await bring(managed, { staged: `core-${randomUUID()}`, core: version }, signal)
  const { sums } = await managed.context.catalogue.coreSums(version, null, signal)
  await assertPristine(scriptsOf(managed), incoming, { version, sums }, signal)
  const file = await contentOf(managed, `${incoming}/wp-includes/version.php`, maxComparedBytes, signal)
  const [, needed] = /\$required_php_version\s*=\s*'([\d.]{1,12})'/.exec(file?.content?.toString() ?? '') ?? []
  assertCorePhp(version, needed ?? null, managed.site.phpVersion)
  step.log(`The files of WordPress ${version} are on the site, not in use yet, and match the published checksums`)
}

async function replace({ managed, to, step }: Change): Promise<void> {
  const { operationId, signal } = step
  const isBack = 'previous' in to
  const database = isBack && to.database
  const call = { act: 'replace', mysql: true, operation: operationId, from_kept: isBack, database, gone: [] } as const
  await callCore(scriptsOf(managed), call, signal)
  if (database) await coreAct(managed, 'use', operationId, { signal })
  step.log('The files are exchanged; those before are kept on the site')
}

async function finish(managed: ManagedSite): Promise<void> {
  const { change } = await coreState(managed)
  if (change === null) return
  const { operation } = change
  await coreAct(managed, 'stays', operation)
  const run = scriptsOf(managed)
  const { differs } = await askCore(run)
  // The database before belongs to the files that are kept, unless it fits those that come, too.
  if (differs !== null) await coreAct(managed, differs ? 'keep' : 'drop', operation)
  await callCore(run, { act: 'finish', mysql: true })
  await setClosed(managed.context, managed.site, false)
  await coreAct(managed, 'end', operation)
}

async function undo(managed: ManagedSite, operation: string): Promise<'undone' | 'finished'> {
  const { change, settled } = await coreState(managed)
  if (change === null) return settled === operation ? 'finished' : 'undone'
  if (change.stays) {
    await finish(managed)
    return 'finished'
  }
  await callCore(scriptsOf(managed), { act: 'undo', mysql: true })
  if (change.parts >= coreStages.indexOf('replace')) await coreAct(managed, 'restore', change.operation)
  await setClosed(managed.context, managed.site, false)
  await coreAct(managed, 'end', change.operation)
  return 'undone'
}
