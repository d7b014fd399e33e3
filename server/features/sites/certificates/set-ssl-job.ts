import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { CertificateChange, CertificatePair } from '#server/engines/site-certificates.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg, serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import {
  certificateKindLabels,
  issuedKinds,
  type CertificateKind,
  type IssuedKind,
} from '#shared/rules/site-certificates.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import {
  authorizeSite,
  showQueued,
  siteAndEngine,
  undoOrMarkFailed,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { takenBack } from '../taken-back.ts'

type SslArgs = SiteJobArgs & {
  /** Null: off. */
  readonly to: IssuedKind | 'custom' | null
  /** A custom one. Its key is sealed, and forgotten when the job ends. */
  readonly pair?: { readonly certificate: string; readonly sealedKey: string }
}

/** What the key of a custom certificate is sealed for, while a job has it. */
const keyPlace = (site: string): string => `site.set_certificate|${site}|key`

/** Enqueues the job that installs a custom certificate, which was checked. */
export async function enqueueCertificate(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  { certificate, key }: CertificatePair,
): Promise<{ job: string }> {
  const sealedKey = await deps.secrets.seal(site.organization, keyPlace(site.name), key)
  return enqueueFor(deps, tx, site, 'site.set_certificate', { to: 'custom', pair: { certificate, sealedKey } })
}

/** Fields of a site that follow its certificate. */
export function certificateFieldsOf(
  engine: Pick<Engine, 'siteUrl'>,
  site: SiteRef,
  { ssl, problem = null }: { readonly ssl: CertificateKind | null; readonly problem?: LocalizedMessage | null },
): Pick<Site, 'ssl' | 'url' | 'ssl_problem' | 'ssl_problem_i18n'> {
  const url = engine.siteUrl({ ...site, isSecure: ssl !== null })
  return { ssl, url, ...serializeMessage('ssl_problem', problem) }
}

const keyIsForgotten = (): AppError =>
  new AppError('invalid', msg`The private key is not kept.`, { nextAction: msg`Install the certificate once more.` })

const isBack = msg`The site is served as before.`

/** The jobs that change how a site is served over TLS, and load its homepage; they set it back if that fails. */
export const certificateJobs = (deps: SitesDeps): JobDefinition[] => [
  sslJob(deps, 'site.set_ssl') as JobDefinition,
  sslJob(deps, 'site.set_certificate') as JobDefinition,
]

function sslJob(deps: SitesDeps, type: 'site.set_ssl' | 'site.set_certificate'): JobDefinition<SslArgs> {
  async function change(context: JobContext<SslArgs>, options: CertificateChange): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'tls')
    const { to, pair } = context.args
    if (to !== 'custom') return engine.certificates.change(site, to, options)
    if (pair === undefined) throw keyIsForgotten()
    const key = await deps.secrets.open(context.organization, keyPlace(site.id), pair.sealedKey)
    await engine.certificates.install(site, { certificate: pair.certificate, key }, options)
  }

  const forgetKey = async (tx: Tx, { job, args: { pair: _pair, ...args } }: JobContext<SslArgs>): Promise<void> => {
    await tx.update(JobDoctype, job, { args }, { hooks: false, activity: false })
  }

  /** A custom certificate is none that can be had again: then what the server has by now stays. */
  async function setBack(context: JobContext<SslArgs>, problem: LocalizedMessage | null): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'tls')
    const before = await context.transaction(async (tx) => (await tx.get(SiteDoctype, site.id))?.ssl ?? null)
    const { fixed } = await engine.certificates.read(site)
    if (fixed === null && (before === null || isOneOf(issuedKinds, before)))
      await engine.certificates.change(site, before)
    const { kind } = await engine.certificates.read(site)
    await context.transaction((tx) =>
      writeSite(tx, site.id, {
        ...certificateFieldsOf(engine, site, { ssl: kind, problem }),
        status: context.args.was,
        failure: null,
      }),
    )
  }

  return {
    type,
    label: ({ referenceTitle, args }) =>
      args.to === null
        ? `Turn off SSL of ${referenceTitle}`
        : `SSL for ${referenceTitle}: ${certificateKindLabels[args.to]}`,
    detail: ({ to }) => labelMessage(to === null ? 'Off' : certificateKindLabels[to]),
    deadlineSeconds: 900,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => isBack,
    async queued(input, tx) {
      if (input.args.to === 'custom' && input.args.pair === undefined) throw keyIsForgotten()
      await showQueued(tx, input, 'Updating', ['Failed', input.args.was])
    },

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'tls')
      const { to } = context.args
      const after = { ...site, isSecure: to !== null }
      return [
        {
          key: 'certificate',
          label: to === null ? 'Turn off SSL' : to === 'custom' ? 'Install the certificate' : 'Get the certificate',
          weight: 4,
          deadlineSeconds: 600,
          run: ({ signal, log }: JobContext) => change(context, { signal, log }),
        },
        pageCheckStep(deps, engine, after, async (signal) => {
          // A retry starts here if it could not be set back for sure.
          await change(context, { signal })
          return checkChangedPage(engine, after, signal)
        }),
      ].map((step) => takenBack(step, isBack))
    },

    async done(context, tx) {
      const { site, engine } = await siteAndEngine(deps, { ...context, transaction: (work) => work(tx) }, 'tls')
      await writeSite(tx, context.referenceName, {
        ...certificateFieldsOf(engine, site, { ssl: context.args.to }),
        status: context.args.was,
        failure: null,
      })
      await forgetKey(tx, context)
    },

    async failed(context, failure) {
      const end = await undoOrMarkFailed(context, failure, () => setBack(context, failure.message))
      await context.transaction((tx) => forgetKey(tx, context))
      return end
    },

    async canceled(context) {
      await setBack(context, null)
      await context.transaction((tx) => forgetKey(tx, context))
      return msg`the site is served as before`
    },
  }
}
