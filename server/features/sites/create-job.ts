import type { SiteSpec } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { JobDefinition } from '#server/contracts/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { firstCertificateStep, liveKey } from './certificates/first-certificate.ts'
import { siteRef, withFacetsOf } from './engine-of.ts'
import {
  authorizeSite,
  engineOf,
  engineSteps,
  markFailed,
  refOf,
  removeSite,
  showQueued,
  siteOf,
  writeSite,
  type SiteJobArgs,
} from './job-parts.ts'
import { checkNewPage } from './page-check.ts'
import { pageCheckStep } from './page-check-step.ts'

/** `site.create`: the engine's steps, then our own page check; only then is the site Live. */
export function createSiteJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.create',
    label: ({ referenceTitle }) => `Create ${referenceTitle}`,
    deadlineSeconds: 900,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Retry, or delete the site and create it again.`,

    queued: (input, tx) => showQueued(tx, input, 'Setting Up'),

    async steps(context) {
      const site = await siteOf(context)
      const engine = engineOf(deps, context)
      const ref = siteRef(site, (await refOf(context)).server)
      const spec = await specOf(
        site,
        ref,
        await context.transaction((tx) => tx.secret(SiteDoctype, site.name, 'admin_password')),
      )
      return [
        ...engineSteps(engine.createSteps(spec)),
        pageCheckStep(deps, engine, ref, (signal) => checkNewPage(engine, ref, site.title, signal)),
        ...(site.initial_ssl === null
          ? []
          : [firstCertificateStep(withFacetsOf(engine, 'tls'), ref, site.initial_ssl)]),
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: 'Live', failure: null })
    },

    async failed(context, failure) {
      if (context.kept[liveKey] !== true) return markFailed(context, failure)
      // The server may have the certificate by now: opening the site's page looks.
      await context.transaction((tx) =>
        writeSite(tx, context.referenceName, {
          status: 'Live',
          failure: null,
          ...serializeMessage('ssl_problem', failure.message),
        }),
      )
      return 'finished'
    },

    async canceled(context) {
      await removeSite(deps, context)
      return msg`the site was removed`
    },
  }
}

async function specOf(site: Site, ref: SiteRef, password: string | null): Promise<SiteSpec> {
  if (site.site_type === 'wp' && !password) {
    throw new AppError('invalid', msg`The password of the site’s admin cannot be read.`, {
      nextAction: msg`Delete the site and create it again.`,
    })
  }
  return {
    ...ref,
    title: site.title ?? site.domain,
    adminUser: site.admin_user ?? '',
    adminEmail: site.admin_email ?? '',
    adminPassword: password ?? '',
    ...(site.multisite === null ? {} : { multisite: site.multisite }),
    ...(site.object_cache === 1 ? { objectCache: true } : {}),
    ...(site.vip === 1 ? { vip: true } : {}),
    ...(site.initial_locale === null ? {} : { locale: site.initial_locale }),
    ...(site.initial_version === null ? {} : { wordpressVersion: site.initial_version }),
    ...(site.with_database === 1 ? { withDatabase: true } : {}),
    ...(site.database === null ? {} : { database: site.database }),
  }
}
