import type { Tx } from '#server/contracts/transaction.ts'
import type { JobContext, JobDefinition, JobSubject } from '#server/contracts/job.ts'
import type { CloneSpec } from '#server/engines/site-copies.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { assertAtRest } from '#server/jobs/enqueue.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { siteName, siteReference } from '#shared/rules/display-name.ts'
import type { SitesDeps } from '../deps.ts'
import { storedKind } from '../database/stored-kind.ts'
import { siteRef, serverOf } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import {
  authorizeSite,
  engineSteps,
  httpAuthOf,
  markFailed,
  onServerNow,
  removeSite,
  showQueued,
  siteAndEngine,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkExistingPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'

type CloneArgs = SiteJobArgs & {
  /** The site that is copied, as it was when the job started. */
  readonly source: SiteRef
  /** Title of its page when the job started, for people. */
  readonly sourceTitle: string
  /** Title in WordPress; null: that of the source. */
  readonly title: string | null
  readonly adminUser: string
  /** It becomes a staging site. */
  readonly staging?: true
}

/** Enqueues the job that makes a new site a copy of the one it was cloned from. */
export async function enqueueClone(deps: SitesDeps, tx: Tx, site: Site, source: Site): Promise<{ job: string }> {
  return enqueueFor(deps, tx, site, 'site.clone', {
    source: siteRef(source, await serverOf(tx, source)),
    sourceTitle: siteName(source),
    title: site.title === source.title ? null : site.title,
    adminUser: source.admin_user ?? '',
    ...(site.staging_of ? { staging: true } : {}),
  } satisfies Omit<CloneArgs, keyof SiteJobArgs>)
}

/** What the activity of a site says of a copy of it. */
export function copiedSite({
  source,
  domain,
  isStaging,
}: {
  source: Pick<Site, 'name' | 'domain' | 'title'>
  domain: string
  isStaging: boolean
}): JobSubject {
  // Whose it is, says the entry of the job.
  const { organization: _, ...reference } = siteReference({ ...source, organization: '' })
  return {
    action: isStaging ? 'Site.create_staging' : 'Site.clone',
    ...reference,
    detail: isStaging ? untranslated(domain) : msg`to ${domain}`,
  }
}

/** `site.clone`: the engine copies the site, then our own page check; only then is the new site Live. */
export function cloneSiteJob(deps: SitesDeps): JobDefinition<CloneArgs> {
  return {
    type: 'site.clone',
    label: ({ referenceTitle, args }) => {
      // A copy often has the name of its source, and then is told from it by its address.
      const name = referenceTitle === args.sourceTitle ? args.site.domain : referenceTitle
      return args.staging
        ? `Create the staging site ${name} of ${args.sourceTitle}`
        : `Clone ${args.sourceTitle} to ${name}`
    },
    detail: ({ sourceTitle }) => msg`from ${sourceTitle}`,
    about: ({ source, sourceTitle, site, staging }) =>
      copiedSite({
        source: { name: source.id, domain: source.domain, title: sourceTitle },
        domain: site.domain,
        isStaging: staging === true,
      }),
    deadlineSeconds: 4_200,
    cancel: { possible: true },
    async authorize(context, tx) {
      await authorizeSite('write')(context, tx)
      const source = (await tx.get(SiteDoctype, context.referenceName))?.cloned_from
      // What it has of a source that was deleted meanwhile, its initiator could read when it was copied.
      if (source && (await tx.get(SiteDoctype, source)))
        await authorizeSite('write')({ ...context, referenceName: source }, tx)
    },
    nextAction: () => msg`Retry, or delete the new site and clone again. The original was not changed.`,

    async queued(input, tx) {
      await showQueued(tx, input, 'Setting Up')
      // The first time, the action has seen to that.
      const source = input.retry ? await tx.get(SiteDoctype, input.args.source.id) : null
      if (source) await assertAtRest(tx, SiteDoctype.name, source, { waited: false, refused: null })
    },

    async steps(context) {
      const { site: ref, engine } = await siteAndEngine(deps, context, 'clone')
      const { source, title, adminUser } = context.args
      const target: CloneSpec = {
        ...ref,
        title,
        adminUser,
        ...(await protectionOf(context)),
      }
      const check = pageCheckStep(deps, engine, ref, (signal) => checkExistingPage(engine, ref, { signal }))
      return [
        ...engineSteps(engine.copies.cloneSteps(await onServerNow(context, source), target)),
        {
          ...check,
          async run(step) {
            await check.run(step)
            // The source may have been moved to another kind of database since the copy was asked for.
            const database = await engine.databaseMoves?.kind(ref)
            await step.transaction((tx) => writeSite(tx, ref.id, { database: storedKind(database) }))
          },
        },
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: 'Live', failure: null })
    },

    failed: markFailed,

    async canceled(context) {
      await removeSite(deps, context)
      return msg`the new site was removed`
    },
  }
}

/** What visitors are asked for, which the document of the copy got when it was inserted. */
async function protectionOf({
  args,
  referenceName,
  transaction,
}: JobContext<CloneArgs>): Promise<Pick<CloneSpec, 'staging' | 'httpAuth'>> {
  const httpAuth = await transaction((tx) => httpAuthOf(tx, referenceName))
  if (args.staging !== true) return httpAuth === null ? {} : { httpAuth }
  if (httpAuth !== null) return { staging: { httpAuth } }
  throw new AppError('conflict', msg`The staging site has no password.`, {
    nextAction: msg`Delete it, and create another one.`,
  })
}
