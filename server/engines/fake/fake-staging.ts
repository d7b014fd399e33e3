import { createHash } from 'node:crypto'
import type { PushPlan, PushSide, PushWhat } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { PushChoice, PushLoss, SiteStaging } from '../site-staging.ts'
import { contentOf, writeContent } from './fake-content.ts'
import type { FakeContext } from './fake-context.ts'
import type { FakeContent, FakeSite } from './fake-site.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** Pushes between fake sites: three-way comparisons of their files and rows. */
export function createFakeStaging(context: FakeContext): SiteStaging {
  return {
    read: async (live) => {
      const { push, pushed } = existingSite(context, live)
      return { changing: push !== undefined, kept: pushed === undefined ? null : { at: pushed.at } }
    },
    planSteps: (live, staging, keep) => planSteps(context, live, staging, keep),
    pushSteps: (live, staging, choice) => pushSteps(context, live, staging, choice),
    rollBackSteps: (live) => rollBackSteps(context, live),
    changesSincePush: async (live) => changesSince(context, live),
    finish: async (live) => finish(context, live),
    undo: async (live, operationId) => undo(context, live, operationId),
  }
}

function pairOf(context: FakeContext, live: SiteRef, staging: SiteRef) {
  const [site, copy] = [existingSite(context, live), existingSite(context, staging)]
  const { stagingOf } = copy
  if (stagingOf === undefined || stagingOf.id !== site.id)
    throw new EngineError('conflict', msg`The site is no staging site of the other one.`, {
      nextAction: msg`Create a staging site.`,
    })
  if (stagingOf.domain !== site.domain || stagingOf.own !== copy.domain)
    throw new EngineError('conflict', msg`One of the two sites got another primary domain since staging was created.`, {
      nextAction: msg`Create a new staging site, and bring your changes there.`,
    })
  return { site, base: stagingOf.content, ours: contentOf(context, copy), theirs: contentOf(context, site) }
}

type Texts = Readonly<Record<string, string>>

interface Change {
  readonly name: string
  readonly what: PushWhat
  readonly live: PushWhat | null
  readonly id: string
  readonly value: string | undefined
  readonly theirs: string | undefined
}

const whatOf = (before: string | undefined, after: string | undefined): PushWhat | null =>
  before === after ? null : before === undefined ? 'add' : after === undefined ? 'delete' : 'change'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

function changesOf(base: Texts, ours: Texts, theirs: Texts): Change[] {
  const names = [...new Set([base, ours, theirs].flatMap((texts) => Object.keys(texts)))].toSorted()
  return names.flatMap((name): Change[] => {
    const what = whatOf(base[name], ours[name])
    if (what === null || ours[name] === theirs[name]) return []
    const id = hash(JSON.stringify([name, ours[name], theirs[name], base[name]])).slice(0, 16)
    return [{ name, what, live: whatOf(base[name], theirs[name]), id, value: ours[name], theirs: theirs[name] }]
  })
}

const digestOf = (changes: readonly Change[]): string => hash(changes.map(({ id }) => id).join('\n'))

function sideOf(base: Texts, now: Texts, kind = ''): PushSide {
  const found = [...new Set([...Object.keys(base), ...Object.keys(now)])]
    .filter((name) => name.startsWith(kind))
    .flatMap((name) => {
      const what = whatOf(base[name], now[name])
      return what === null ? [] : [{ label: name.slice(kind.length), what }]
    })
  const countOf = (wanted: PushWhat) => found.filter(({ what }) => what === wanted).length
  return { added: countOf('add'), changed: countOf('change'), deleted: countOf('delete'), samples: found.slice(0, 40) }
}

function planOf(base: FakeContent, ours: FakeContent, theirs: FakeContent, siteType: SiteRef['siteType']): PushPlan {
  const [files, rows] = [changesOf(base.files, ours.files, theirs.files), changesOf(base.rows, ours.rows, theirs.rows)]
  const bothOf = (changes: readonly Change[]) => changes.filter(({ live }) => live !== null)
  return {
    files: {
      digest: digestOf(files),
      staging: sideOf(base.files, ours.files),
      live: sideOf(base.files, theirs.files),
      clashes: bothOf(files).map(({ id, name, what, live }) => ({ id, path: name, staging: what, live: live ?? what })),
      total: bothOf(files).length,
    },
    database:
      siteType === 'wp'
        ? {
            digest: digestOf(rows),
            kinds: (['options', 'users'] as const).map((kind) => ({
              kind,
              staging: sideOf(base.rows, ours.rows, `${kind} `),
              live: sideOf(base.rows, theirs.rows, `${kind} `),
            })),
            clashes: bothOf(rows).map(({ id, name, what, live, value = '', theirs: other = '' }) => ({
              id,
              kind: name.startsWith('users ') ? ('users' as const) : ('options' as const),
              type: 'changed' as const,
              label: name.slice(name.indexOf(' ') + 1),
              detail: '',
              staging: { op: what, value: value.slice(0, 200), hidden: false },
              live: { op: live ?? what, value: other.slice(0, 200), hidden: false },
            })),
            total: bothOf(rows).length,
            notes: [],
          }
        : null,
  }
}

function planSteps(
  context: FakeContext,
  live: SiteRef,
  staging: SiteRef,
  keep: (plan: PushPlan) => Promise<void>,
): EngineStep[] {
  const { run, ...step } = fakeStep(context, staging, 'compare', 'Compare both sites', () => undefined)
  return [
    {
      ...step,
      run: async (own) => {
        await run(own)
        const { base, ours, theirs } = pairOf(context, live, staging)
        await keep(planOf(base, ours, theirs, live.siteType))
      },
    },
  ]
}

/** Steps fail on purpose for the name of the staging site. */
function pushSteps(context: FakeContext, live: SiteRef, staging: SiteRef, choice: PushChoice): EngineStep[] {
  const step = (key: string, label: string, work: () => void) =>
    withPush(context, live, 'push', fakeStep(context, staging, key, label, work))
  const merge = (part: 'files' | 'rows', digest: string | null) => {
    const { site, base, ours, theirs } = pairOf(context, live, staging)
    // Again after a crash: the state before is the one to begin with.
    const before = site.push?.before ?? theirs
    const changes = changesOf(base[part], ours[part], before[part])
    if (digestOf(changes) !== digest)
      throw new EngineError('conflict', msg`Something changed since the plan was made.`, {
        nextAction: msg`Plan the push again, and look at what is different.`,
      })
    const result: Record<string, string> = { ...before[part] }
    for (const { name, live: other, id, value } of changes) {
      const kind = part === 'files' ? 'files' : (name.split(' ')[0] ?? '')
      if (other !== null && !choice.take.includes(id) && !choice.takeAll.includes(kind)) continue
      if (value === undefined) delete result[name]
      else result[name] = value
    }
    writeContent(context, existingSite(context, live), {
      ...contentOf(context, existingSite(context, live)),
      [part]: result,
    })
  }
  return [
    step('pause', 'Keep visitors out', () => void pairOf(context, live, staging)),
    step('copy_files', 'Copy the site, and bring in the files', () => {
      if (choice.files) merge('files', choice.digests.files)
    }),
    ...(choice.database && live.siteType === 'wp'
      ? [step('merge_database', 'Bring in the content', () => merge('rows', choice.digests.database))]
      : []),
    step('check', 'Check that the site answers', () => undefined),
  ]
}

function rollBackSteps(context: FakeContext, live: SiteRef): EngineStep[] {
  const step = (key: string, label: string, work: () => void) =>
    withPush(context, live, 'roll_back', fakeStep(context, live, key, label, work))
  return [
    step('pause', 'Keep visitors out', () => undefined),
    step('swap', 'Bring back the state before the push', () => {
      const site = existingSite(context, live)
      if (site.pushed !== undefined) writeContent(context, site, site.pushed.content)
    }),
    step('check', 'Check that the site answers', () => undefined),
  ]
}

function withPush(
  context: FakeContext,
  live: SiteRef,
  kind: 'push' | 'roll_back',
  { run, ...step }: EngineStep,
): EngineStep {
  return {
    ...step,
    run: async (own) => {
      const site = existingSite(context, live)
      if (site.push === undefined) writeSite(context, begun(context, site, kind, own.operationId))
      else if (site.push.operation !== own.operationId) throw notReady()
      await run(own)
    },
  }
}

function begun(context: FakeContext, site: FakeSite, kind: 'push' | 'roll_back', operation: string): FakeSite {
  if (site.state !== 'running' || site.restore !== undefined) throw notReady()
  if (kind === 'roll_back' && site.pushed === undefined) throw notKept()
  return { ...site, push: { operation, kind, before: contentOf(context, site) } }
}

const notKept = () =>
  new EngineError('conflict', msg`The state before the last push is not kept any more.`, {
    nextAction: msg`Push again what is missing.`,
  })

const notReady = () =>
  new EngineError('conflict', msg`Only a site that is ready can be pushed to.`, {
    nextAction: msg`Wait until the site is ready, or retry the job that did not end.`,
  })

function finish(context: FakeContext, live: SiteRef): void {
  const { push, pushed: _pushed, ...site } = existingSite(context, live)
  if (push === undefined) return
  const now = contentOf(context, existingSite(context, live))
  const kept = push.kind === 'push' ? { pushed: { at: context.now(), content: push.before, after: now } } : {}
  writeSite(context, { ...site, ...kept, settled: push.operation })
}

function changesSince(context: FakeContext, live: SiteRef): PushLoss {
  const site = existingSite(context, live)
  if (site.pushed === undefined) throw notKept()
  const { at, after } = site.pushed
  const now = contentOf(context, site)
  const kinds = (['options', 'users'] as const).map((kind) => ({
    kind,
    changes: sideOf(after.rows, now.rows, `${kind} `),
  }))
  return {
    at,
    files: sideOf(after.files, now.files),
    kinds: kinds.filter(({ changes }) => changes.added + changes.changed + changes.deleted > 0),
  }
}

function undo(context: FakeContext, live: SiteRef, operation: string): 'undone' | 'finished' {
  const { push, settled } = existingSite(context, live)
  if (push === undefined) return settled === operation ? 'finished' : 'undone'
  if (push.operation !== operation) return 'undone'
  writeContent(context, existingSite(context, live), push.before)
  const { push: _undone, ...site } = existingSite(context, live)
  writeSite(context, site)
  return 'undone'
}
