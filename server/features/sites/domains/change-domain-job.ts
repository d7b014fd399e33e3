import type { JobContext, JobDefinition, JobStepDefinition, QueuedJob } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { EngineAlias, EngineDomains } from '#server/engines/site-domains.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { AliasMode } from '#shared/rules/site-aliases.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, siteRef, serverOf } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import {
  authorizeSite,
  engineOf,
  engineSteps,
  httpAuthOf,
  markFailed,
  refOf,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { takenBack } from '../taken-back.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { aliasFields } from './alias-fields.ts'
import { aliasesOfSite, domainHolder, lockNames, releasePending, removeDomain, writeDomain } from './domain-table.ts'
import { lookUpDomain } from './look-up-domain.ts'
import { claimDomain, giveBack, type Giver } from './new-domain.ts'
import { pushAliases } from './push-aliases.ts'

type ChangeArgs = SiteJobArgs & {
  readonly to: string
  /** What the old primary domain becomes. */
  readonly old: AliasMode | 'remove'
  /** The archived site that gave up the name for it, and what it had there; missing: none had to. */
  readonly giver?: Omit<Giver, 'site'> & { readonly site: string }
}

type ChangeContext = JobContext<ChangeArgs>

/** Enqueues the job that makes `to` the primary domain of a site. */
export async function enqueueDomainChange(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  to: string,
  old: ChangeArgs['old'],
): Promise<{ job: string }> {
  const giver = giverArgs(await reserve(tx, site, to))
  return enqueueFor(deps, tx, site, 'site.change_domain', { to, old, ...giver } satisfies Omit<
    ChangeArgs,
    keyof SiteJobArgs
  >)
}

const giverArgs = (giver: Giver | null): Pick<ChangeArgs, 'giver'> =>
  giver === null ? {} : { giver: { ...giver, site: giver.site.name } }

/** A retry may get the name from another site than the first attempt. */
async function rememberGiver(tx: Tx, { job, args }: QueuedJob<ChangeArgs>, giver: Giver | null): Promise<void> {
  const { giver: _before, ...others } = args
  await tx.update(JobDoctype, job, { args: { ...others, ...giverArgs(giver) } }, { hooks: false, activity: false })
}

/** Keeps the name for the site until the job ends. An alias of the site stays one until then. */
async function reserve(tx: Tx, site: Site, to: string): Promise<Giver | null> {
  const giver = await claimDomain(tx, site, to)
  if ((await domainHolder(tx, to)) === null) await writeDomain(tx, { domain: to, site: site.name, mode: 'pending' })
  return giver
}

/** What a step keeps if the engine did not take the old domain as an alias. */
const refusedKey = 'old_domain_refused'

const areBack = msg`The site has its previous domain and database again.`

/** The jobs that change the primary domain of a site. */
export function domainJobs(deps: SitesDeps): JobDefinition[] {
  /** Whether the engine finished the change: then the documents follow, whatever happened to the job. */
  async function undo(context: ChangeContext, signal?: AbortSignal): Promise<'undone' | 'finished'> {
    const { site, engine } = await siteAndEngine(deps, context, 'domain_change')
    context.log('Taking the change back, also if the server is busy or away for a while')
    await engine.domains.undoChange(site, signal)
    const now = await engine.domains.read(site)
    const isFinished = now.domain === context.args.to
    const giver = await context.transaction(async (tx) => {
      if (isFinished) {
        const wanted = await wantedAliases(tx, site, context.args)
        await finish(context, tx, refusedOf(wanted, now))
        return null
      }
      await releasePending(tx, site.id)
      await writeSite(tx, site.id, { status: context.args.was, failure: null })
      return returnName(tx, context.args)
    })
    // Whatever becomes of that, the site itself is back; the next comparison of engines and documents, or their return from the archive, makes up for it.
    const push = (of: Engine, ref: SiteRef) =>
      pushAliases(deps, of, ref).catch((error: unknown) =>
        deps.log.warn('The aliases of a site could not be put back', { site: ref.id, error }),
      )
    if (!isFinished) await push(engine, site)
    if (giver !== null) await push(engineFor(deps.engines, giver.site), giver.ref)
    return isFinished ? 'finished' : 'undone'
  }

  /** Gives the name back to the archived site that gave it up, unless it has it already or can't have it any more; null: there is none. */
  async function returnName(tx: Tx, { giver, to }: ChangeArgs): Promise<{ site: Site; ref: SiteRef } | null> {
    const site = giver === undefined ? null : await tx.get(SiteDoctype, giver.site)
    if (giver === undefined || site === null) return null
    await giveBack(tx, { ...giver, site }, to, engineFor(deps.engines, site))
    return { site, ref: siteRef(site, await serverOf(tx, site)) }
  }

  /** `refused`: aliases that the site does not have after all. */
  async function finish(context: ChangeContext, tx: Tx, refused: readonly string[] = []): Promise<void> {
    const { to, old, was } = context.args
    const engine = engineOf(deps, context)
    const site = await tx.get(SiteDoctype, context.referenceName, { lock: true })
    if (site === null) return
    await lockNames(tx)
    await removeDomain(tx, site.name, to)
    const isRefused = context.kept[refusedKey] === true || refused.includes(site.domain)
    for (const domain of refused) await removeDomain(tx, site.name, domain)
    if (old !== 'remove' && site.domain !== to && !isRefused)
      await writeDomain(tx, { domain: site.domain, site: site.name, mode: old })
    const server = await serverOf(tx, site)
    const renamed = { ...site, domain: to }
    await writeSite(tx, site.name, {
      domain: to,
      url: engine.siteUrl({ ...(await refOf({ args: context.args, transaction: (work) => work(tx) })), domain: to }),
      ...(await aliasFields(tx, renamed, engine, server)),
      status: was,
      failure: null,
    })
  }

  /** `site.change_domain`: the engine replaces the address, our own check loads the page, and only then visitors come back. */
  const changeDomain: JobDefinition<ChangeArgs> = {
    type: 'site.change_domain',
    label: ({ referenceTitle, args }) => `Change the domain of ${referenceTitle} to ${args.to}`,
    detail: ({ to }) => untranslated(to),
    // Of an engine that copies the site.
    deadlineSeconds: 18_000,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => areBack,

    async queued(input, tx) {
      if (input.retry) {
        const site = await tx.get(SiteDoctype, input.referenceName)
        if (site) await rememberGiver(tx, input, await reserve(tx, site, input.args.to))
      }
      await showQueued(tx, input, 'Updating', ['Failed', input.args.was])
    },

    steps: (context) => stepsOf(deps, context),

    done: (context, tx) => finish(context, tx),

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => undo(context)),

    async canceled(context) {
      return (await undo(context, context.signal)) === 'finished'
        ? msg`the site has its new domain already`
        : msg`the site keeps its domain, and its database is as before`
    },
  }

  /** `site.end_domain_change`: takes a change back that could not be taken back when it failed. It has that job's arguments. */
  const endChange: JobDefinition<ChangeArgs> = {
    type: 'site.end_domain_change',
    label: ({ referenceTitle }) => `Take back the change of the domain of ${referenceTitle}`,
    detail: ({ to }) => untranslated(to),
    deadlineSeconds: 14_400,
    cancel: { possible: false, reason: 'Visitors get the maintenance page until it is done.' },
    nextAction: () => msg`It is tried again later. Look at the server.`,
    queued: (input, tx) => showQueued(tx, input, 'Updating'),
    steps: async (context) => [
      {
        key: 'take_back',
        label: 'Take the change back',
        deadlineSeconds: 14_000,
        run: async (step) => void (await undo(context, step.signal)),
      },
    ],
    failed: markFailed,
  }
  return [changeDomain as JobDefinition, endChange as JobDefinition]
}

/** Has the engine of the archived site that gave up the name let go of it. */
async function releaseName(deps: SitesDeps, { args: { giver }, transaction }: ChangeContext): Promise<void> {
  if (giver === undefined) return
  const found = await transaction(async (tx) => {
    const site = await tx.get(SiteDoctype, giver.site)
    return site === null ? null : { site, ref: siteRef(site, await serverOf(tx, site)) }
  })
  if (found !== null) await pushAliases(deps, engineFor(deps.engines, found.site), found.ref)
}

const afterwards = (before: () => Promise<void>, step: JobStepDefinition): JobStepDefinition => ({
  ...step,
  async run(context) {
    await before()
    return step.run(context)
  },
})

/** Refuses a domain that visitors would not reach the server by. Where the site's own leads elsewhere, a proxy is before both. */
function lookUpStep(site: SiteRef, to: string): JobStepDefinition {
  return {
    key: 'look_up',
    label: 'Look up the new domain',
    weight: 1,
    deadlineSeconds: 60,
    async run({ transaction, log }) {
      const server = await transaction((tx) => tx.get(ServerDoctype, site.server.id))
      const stateOf = async (domain: string) =>
        server === null ? 'unknown' : (await lookUpDomain(domain, server)).state
      const state = await stateOf(to)
      log(`${to} ${state === 'here' ? 'leads to the server' : 'does not lead to the server, as far as can be seen'}`)
      if (state === 'not_here' && (await stateOf(site.domain)) === 'here')
        throw new AppError('conflict', msg`“${to}” does not lead to the server yet.`, {
          nextAction: msg`Set its DNS record like that of ${site.domain}, then retry.`,
        })
    },
  }
}

/** All names that the site is to have besides the new one. */
async function wantedAliases(tx: Tx, site: SiteRef, { to, old }: ChangeArgs): Promise<EngineAlias[]> {
  const others = (await aliasesOfSite(tx, site.id)).filter(({ domain }) => domain !== to && domain !== site.domain)
  return old === 'remove' ? others : [...others, { domain: site.domain, mode: old }]
}

const refusedOf = (wanted: readonly EngineAlias[], { aliases }: EngineDomains): string[] =>
  wanted.map(({ domain }) => domain).filter((domain) => !aliases.some((one) => one.domain === domain))

async function stepsOf(deps: SitesDeps, context: ChangeContext): Promise<JobStepDefinition[]> {
  const { to } = context.args
  const { site, engine } = await siteAndEngine(deps, context, 'domain_change')
  const { aliases, httpAuth } = await context.transaction(async (tx) => ({
    aliases: await wantedAliases(tx, site, context.args),
    httpAuth: await httpAuthOf(tx, site.id),
  }))
  const renamed = { ...site, domain: to }
  const change = engineSteps(engine.domains.changeSteps(site, to, aliases, httpAuth))
  const steps: JobStepDefinition[] = [
    ...(engine.siteNames === 'domain' ? [lookUpStep(site, to)] : []),
    // An engine has a name only once.
    ...change.map((step, index) => (index === 0 ? afterwards(() => releaseName(deps, context), step) : step)),
    pageCheckStep(deps, engine, renamed, (signal) => checkChangedPage(engine, renamed, signal)),
    {
      key: 'open',
      label: 'Let visitors in again',
      weight: 1,
      // Certificates for aliases are issued, and the server may be busy with others.
      deadlineSeconds: 7_200,
      async run(step) {
        await engine.domains.finishChange(renamed, step.signal)
        const now = await engine.domains.read(site)
        if (now.domain !== to)
          throw new AppError('conflict', msg`The site does not have its new domain.`, {
            nextAction: msg`Retry the change.`,
          })
        for (const domain of now.lost ?? [])
          step.log(`The server did not take the alias ${domain}, which was made there. Add it there again to see why.`)
        const refused = refusedOf(aliases, now)
        for (const domain of refused) step.log(`The server did not take the alias ${domain}. Add it again to see why.`)
        if (refused.includes(site.domain)) step.keep({ [refusedKey]: true })
        await step.transaction(async (tx) => {
          for (const domain of refused) await removeDomain(tx, site.id, domain)
        })
      },
    },
  ]
  return steps.map((step) => takenBack(step, areBack))
}
