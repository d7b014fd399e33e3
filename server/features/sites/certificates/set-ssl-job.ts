import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { labelMessage, msg, serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import {
  certificateKindLabels,
  issuedKinds,
  type CertificateKind,
  type IssuedKind,
} from '#shared/rules/site-certificates.ts'
import type { SitesDeps } from '../deps.ts'
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
  readonly to: IssuedKind | null
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

const isBack = msg`The site is served as before.`

/** `site.set_ssl`: gets a certificate or turns TLS off, and loads the homepage; sets it back if that fails. */
export function setSslJob(deps: SitesDeps): JobDefinition<SslArgs> {
  /** A custom certificate is none that can be had again: then what the server has by now stays. */
  async function setBack(context: JobContext<SslArgs>, problem: LocalizedMessage | null): Promise<void> {
    const { site, engine } = await siteAndEngine(deps, context, 'tls')
    const before = await context.transaction(async (tx) => (await tx.get(SiteDoctype, site.id))?.ssl ?? null)
    if (before === null || isOneOf(issuedKinds, before)) await engine.certificates.change(site, before)
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
    type: 'site.set_ssl',
    label: ({ referenceTitle, args }) =>
      args.to === null
        ? `Turn off SSL of ${referenceTitle}`
        : `SSL for ${referenceTitle}: ${certificateKindLabels[args.to]}`,
    detail: ({ to }) => labelMessage(to === null ? 'Off' : certificateKindLabels[to]),
    deadlineSeconds: 900,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => isBack,
    queued: (input, tx) => showQueued(tx, input, 'Updating', ['Failed', input.args.was]),

    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'tls')
      const { to } = context.args
      const after = { ...site, isSecure: to !== null }
      return [
        {
          key: 'certificate',
          label: to === null ? 'Turn off SSL' : 'Get the certificate',
          weight: 4,
          deadlineSeconds: 600,
          run: ({ signal, log }: JobContext) => engine.certificates.change(site, to, { signal, log }),
        },
        pageCheckStep(deps, engine, after, async (signal) => {
          // A retry starts here if it could not be set back for sure.
          await engine.certificates.change(site, to, { signal })
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
    },

    failed: (context, failure) => undoOrMarkFailed(context, failure, () => setBack(context, failure.message)),

    async canceled(context) {
      await setBack(context, null)
      return msg`the site is served as before`
    },
  }
}
