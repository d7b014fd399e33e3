import type { JobStepDefinition } from '#server/contracts/job.ts'
import { EngineError } from '#server/engines/engine.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { errorMessage, isRetryable } from '#server/jobs/failure.ts'
import { AppError } from '#shared/errors.ts'
import type { IssuedKind } from '#shared/rules/site-certificates.ts'
import { writeSite } from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { certificateFieldsOf } from './set-ssl-job.ts'

/** What is kept once a site is live without the certificate that it is to get. */
export const liveKey = 'is_live'

/** Gets the certificate that a new site was given. Without it, the site is live nevertheless, and says why it has none. */
export function firstCertificateStep(engine: EngineWith<'tls'>, site: SiteRef, to: IssuedKind): JobStepDefinition {
  return {
    key: 'certificate',
    label: 'Get the certificate',
    weight: 2,
    deadlineSeconds: 600,
    async run({ signal, log, transaction, keep }) {
      keep({ [liveKey]: true })
      let problem = null
      try {
        await engine.certificates.change(site, to, { signal, log })
        await checkChangedPage(engine, { ...site, isSecure: true }, signal)
      } catch (error) {
        if (signal.aborted || isRetryable(error)) throw error
        if (!(error instanceof EngineError || error instanceof AppError)) throw error
        problem = errorMessage(error)
        log(problem.text)
        await engine.certificates.change(site, null)
      }
      await transaction((tx) =>
        writeSite(tx, site.id, certificateFieldsOf(engine, site, { ssl: problem === null ? to : null, problem })),
      )
    },
  }
}
