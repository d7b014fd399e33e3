import { controller, type Controller } from '#server/contracts/controller.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { EngineCertificate } from '#server/engines/site-certificates.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SiteCertificate } from '#shared/responses/site-certificates.ts'
import { certificateState, renewalOf } from '#shared/rules/site-certificates.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'
import { checkCertificate } from './custom-certificate.ts'
import { certificateFieldsOf, enqueueCertificate } from './set-ssl-job.ts'

/** Actions on the certificate of a site. The store checks state and permissions first. */
export function certificateActions(deps: SitesDeps): Controller {
  const now = () => (deps.clock ?? systemClock).now()

  /** What the server has, which the document shows from then on. */
  const readAndStore = async (engine: EngineWith<'tls'>, ref: SiteRef): Promise<SiteCertificate> => {
    const found = await engine.certificates.read(ref)
    await deps.documents().transaction(systemSession('schedule'), async (tx) => {
      const site = await tx.get(SiteDoctype, ref.id, { lock: true })
      const { ssl, url } = certificateFieldsOf(engine, ref, { ssl: found.kind })
      if (site && site.locked_by_job === null && (site.ssl !== ssl || site.url !== url))
        await writeSite(tx, ref.id, { ssl, url })
    })
    return certificateResponse(found, ref.domain, now())
  }

  return controller(SiteDoctype, {
    actions: {
      read_certificate: (site, _args, { tx }) =>
        siteCall(deps, tx, site, { needs: 'tls', run: (engine, ref) => readAndStore(engine, ref) }),

      async set_ssl(site, { ssl }, { tx }) {
        const to = ssl === 'off' ? null : ssl
        if (to === null && site.ssl === null)
          throw new AppError('invalid', msg`The site has no certificate.`, { field: 'ssl' })
        return enqueueFor(deps, tx, site, 'site.set_ssl', { to })
      },

      set_certificate: (site, { certificate, key }, { tx }) =>
        enqueueCertificate(deps, tx, site, checkCertificate({ certificate, key: key ?? '' }, site.domain, now())),
    },
  })
}

function certificateResponse(found: EngineCertificate, domain: string, now: number): SiteCertificate {
  const { kind, certificate, fixed } = found
  const renews = renewalOf(found)
  return {
    kind,
    state: certificateState(found, domain, now),
    issuer: certificate?.issuer ?? null,
    names: [...(certificate?.names ?? [])],
    from: certificate === null ? null : formatTimestamp(certificate.from),
    until: certificate === null ? null : formatTimestamp(certificate.until),
    renews: renews === null ? null : formatTimestamp(renews),
    fixed: fixed?.text ?? null,
  }
}
