import { controller, type Controller } from '#server/contracts/controller.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { EngineCertificate } from '#server/engines/site-certificates.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg, serializeMessage } from '#shared/localized-message.ts'
import type { SiteCertificate } from '#shared/responses/site-certificates.ts'
import { certificateKindLabels, certificateState, renewalOf } from '#shared/rules/site-certificates.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'
import { checkCertificate } from './custom-certificate.ts'
import { certificateFieldsOf } from './set-ssl-job.ts'

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

      set_certificate(site, { certificate, key }, { tx }) {
        const pair = checkCertificate({ certificate, key }, site.domain, now())
        return siteCall(deps, tx, site, {
          needs: 'tls',
          changes: true,
          unseen: true,
          entry: { detail: labelMessage(certificateKindLabels.custom) },
          async run(engine, ref) {
            try {
              await engine.certificates.install(ref, pair)
            } catch (error) {
              // A server that cannot go back has another one than before.
              await readAndStore(engine, ref).catch((unread: unknown) =>
                deps.log.warn('The certificate of a site could not be read', { site: ref.id, error: unread }),
              )
              throw error
            }
            const found = await readAndStore(engine, ref)
            return async (_site, { tx: ending }) => {
              await writeSite(ending, ref.id, serializeMessage('ssl_problem', null))
              return found
            }
          },
        })
      },
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
