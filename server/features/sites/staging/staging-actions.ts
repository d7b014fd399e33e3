import { randomUUID } from 'node:crypto'
import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { loadFor } from '#server/documents/documents.ts'
import type { PushChoice } from '#server/engines/site-staging.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { pushKinds, type DryPush, type PushPlan } from '#shared/responses/push-plan.ts'
import { stagingNameOf } from '#shared/rules/site-name.ts'
import { insertCopy } from '../copies/clone-action.ts'
import type { SitesDeps } from '../deps.ts'
import { requireCapability, siteRef, serverOf } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { generatePassword } from '#server/platform/secrets/generate-password.ts'
import { siteCall } from '../site-call.ts'
import type { PairArgs } from '../job-parts.ts'
import { readPlan, writePlan } from './plan-table.ts'

const typeByName = typesByName(doctypes)
/** Within the deadline of calls outside of jobs. */
const dryRunMs = 240_000
/** User name for visitors of a staging site. */
const stagingUser = 'preview'
/** Most clashes that are decided one by one: a plan lists no more. */
const maxTaken = 200
const kinds: ReadonlySet<string> = new Set([...pushKinds, 'files', 'database'])

/** Actions about staging sites. A push needs the right to change both sites. */
export function stagingActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async create_staging(source, args, { tx, session }) {
        const { engine } = await requireCapability(deps, tx, source, 'staging')
        return insertCopy({ tx, session, engine }, source, {
          chosen: {
            domain: args.domain ?? stagingNameOf(source.domain, engine.siteNames),
            title: source.title ?? source.domain,
            server: source.server,
          },
          fields: { staging_of: source.name, http_auth_user: stagingUser, http_auth_password: generatePassword() },
          action: 'create_staging',
        })
      },

      async plan_push(staging, _args, { tx, session }) {
        const live = await sourceOf(tx, session, staging)
        assertLive(live)
        const other = siteRef(live, await serverOf(tx, live))
        return enqueueFor(deps, tx, staging, 'site.plan_push', { other } satisfies Pick<PairArgs, 'other'>)
      },

      push_plan: async (staging, _args, { tx }) => readPlan(tx, staging.name),

      async push_staging(staging, args, { tx, session }) {
        await assertNotLocked(tx, staging)
        const live = await sourceOf(tx, session, staging)
        assertLive(live)
        const what = partsOf(args.what)
        if (args.dry_run === 1) return dryRun(deps, tx, { live, staging, what })
        const { plan, made_at } = await readPlan(tx, staging.name)
        if (plan === null && args.made_at === null)
          throw new AppError('invalid', msg`Look at what the push would do first.`, {
            field: 'dry_run',
            nextAction: msg`Compare both sites, or call it with dry_run.`,
          })
        if (plan === null || made_at !== (args.made_at ?? made_at))
          throw new AppError('conflict', msg`There is another plan by now.`, { nextAction: msg`Look at it first.` })
        const [files, database] = [what.has('files'), what.has('database') && plan.database !== null]
        if (!files && !database) throw new AppError('invalid', msg`Choose files, content or both.`, { field: 'what' })
        const choice: PushChoice = {
          files,
          database,
          digests: { files: plan.files.digest, database: plan.database?.digest ?? null },
          take: textsOf(args.take, /^[0-9a-f]{16}$/),
          takeAll: textsOf(args.take_all, /^[a-z]{1,20}$/).filter((kind) => kinds.has(kind)),
        }
        const other = siteRef(staging, await serverOf(tx, staging))
        return enqueueFor(deps, tx, live, 'site.push', { other, choice })
      },

      async push_losses(site, _args, { tx }) {
        await assertNotLocked(tx, site)
        return siteCall(deps, tx, site, {
          needs: 'staging',
          async run(engine, ref) {
            const { at, files, kinds } = await engine.staging.changesSincePush(ref)
            return { since: formatTimestamp(at), files, kinds }
          },
        })
      },

      async roll_back_push(site, _args, { tx }) {
        if (site.pushed_at === null)
          throw new AppError('invalid', msg`The state before the last push is not kept any more.`)
        return enqueueFor(deps, tx, site, 'site.roll_back_push')
      },
    },
  })
}

/** The site of a staging site, which the caller must be able to change. */
async function sourceOf(tx: Tx, session: Session, staging: Site): Promise<Site> {
  const { staging_of: source } = staging
  if (!source) throw new AppError('invalid', msg`This is no staging site.`)
  if (!(await tx.get(SiteDoctype, source)))
    throw new AppError('conflict', msg`The site that this is the staging site of was deleted.`)
  const { doc } = await loadFor({ db: tx.trx, session, typeByName }, SiteDoctype, source, 'write')
  return doc as Site
}

type PushPart = 'files' | 'database'

function partsOf(what: readonly string[] | null): ReadonlySet<PushPart> {
  const parts = (what ?? []).filter((one): one is PushPart => one === 'files' || one === 'database')
  if (parts.length === 0 || parts.length !== what?.length)
    throw new AppError('invalid', msg`Choose files, content or both.`, { field: 'what' })
  return new Set(parts)
}

/** Compares both sites at once, for callers that wait for it; the web app has a job do so. What it finds is the plan then. */
async function dryRun(
  deps: SitesDeps,
  tx: Tx,
  { live, staging, what }: { readonly live: Site; readonly staging: Site; readonly what: ReadonlySet<PushPart> },
): Promise<ExternalCall> {
  const clock = deps.clock ?? systemClock
  const source = siteRef(live, await serverOf(tx, live))
  return siteCall(deps, tx, staging, {
    needs: 'staging',
    entry: null,
    async run(engine, ref) {
      const found: { plan?: PushPlan } = {}
      const steps = engine.staging.planSteps(source, ref, async (plan) => {
        found.plan = plan
      })
      const signal = AbortSignal.timeout(dryRunMs)
      for (const step of steps)
        await step.run({ operationId: randomUUID(), log: () => undefined, progress: () => undefined, signal })
      const { plan } = found
      if (!plan) throw new Error('The comparison ended without a plan')
      return async (_now, { tx: ending }) => {
        await writePlan(ending, staging.name, plan, formatTimestamp(clock.now()))
        return toldPush(plan, what)
      }
    },
  })
}

function toldPush({ files, database }: PushPlan, what: ReadonlySet<PushPart>): DryPush {
  const content = what.has('database') ? database : null
  return {
    files: what.has('files') ? files.staging : { added: 0, changed: 0, deleted: 0, samples: [] },
    tables: (content?.kinds ?? [])
      .map(({ kind, staging: { added, changed, deleted } }) => ({ table: kind, added, changed, deleted }))
      .filter(({ added, changed, deleted }) => added + changed + deleted > 0),
    clashes: [
      ...(what.has('files') ? files.clashes.map(({ id, path }) => ({ id, kind: 'files' as const, label: path })) : []),
      ...(content?.clashes ?? []).map(({ id, kind, label }) => ({ id, kind, label })),
    ],
  }
}

function assertLive(live: Site): void {
  if (live.status !== 'Live')
    throw new AppError('conflict', msg`${live.domain} is not live now.`, {
      nextAction: msg`Wait until it is, then try again.`,
    })
}

function textsOf(value: unknown, form: RegExp): string[] {
  const list = value ?? []
  if (Array.isArray(list) && list.length <= maxTaken && list.every((one) => typeof one === 'string' && form.test(one)))
    return list as string[]
  throw new AppError('invalid', msg`This is no list of decisions.`)
}
