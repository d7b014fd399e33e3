import type { JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { ImportedSite, ImportSpec, SiteImports } from '#server/engines/site-imports.ts'
import { type Site } from '#shared/doctypes/site.ts'
import { checkEmail } from '#shared/rules/formats.ts'
import { isPlainLogin } from '#shared/rules/wordpress-changes.ts'
import type { ImportReport } from '#shared/responses/site-imports.ts'
import { msg } from '#shared/localized-message.ts'
import { fetchStep, removeWork, workPath } from '../backups/backup-parts.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { enqueueFor } from '../enqueue-site.ts'
import {
  authorizeSite,
  engineSteps,
  markFailed,
  removeSite,
  showQueued,
  siteAndEngine,
  writeSite,
  type SiteJobArgs,
} from '../job-parts.ts'
import { checkExistingPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { withOriginal } from './compare-original.ts'
import { discardArchive } from './import-uploads.ts'

type ImportArgs = SiteJobArgs & {
  readonly archive: string
  readonly fileName: string
  /** Title in WordPress; null: that of the archive. */
  readonly title: string | null
  /** The backup whose archive it is; else it was uploaded. */
  readonly backup?: string
  /** Kind of its database, if it is not the engine's usual one. */
  readonly database?: 'mysql'
}

/** Enqueues the job that makes a new site of an archive. */
export async function enqueueImport(deps: SitesDeps, tx: Tx, site: Site): Promise<{ job: string }> {
  return enqueueFor(deps, tx, site, 'site.import', {
    archive: site.import_archive ?? '',
    fileName: site.import_file ?? '',
    title: null,
    ...(site.import_backup === null ? {} : { backup: site.import_backup }),
    ...(site.database === 'mysql' ? { database: 'mysql' } : {}),
  } satisfies Omit<ImportArgs, keyof SiteJobArgs>)
}

/** `site.import`: the engine makes the site, then our own page check and a comparison; only then is the site Live. */
export function importSiteJob(deps: SitesDeps): JobDefinition<ImportArgs> {
  return {
    type: 'site.import',
    label: ({ referenceTitle, args }) => `Import ${args.fileName.slice(0, 100)} as ${referenceTitle}`,
    deadlineSeconds: 10_800,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Retry, or delete the new site and import the archive again.`,

    queued: (input, tx) => showQueued(tx, input, 'Setting Up'),

    async steps(context) {
      const { site: ref, engine } = await siteAndEngine(deps, context, 'import')
      const { archive, fileName, title, database, backup } = context.args
      const target: ImportSpec = {
        ...{ ...ref, archive, fileName, title },
        ...(backup === undefined ? {} : { isBackup: true }),
        ...(database === undefined ? {} : { database }),
      }
      return [
        ...(backup === undefined ? [] : [fetchStep(deps, backup, archive), takeStep(deps, engine.imports, archive)]),
        ...engineSteps(engine.imports.importSteps(target)),
        pageCheckStep(deps, engine, ref, (signal) => checkExistingPage(engine, ref, { signal })),
        {
          key: 'compare',
          label: 'Compare with the archive',
          deadlineSeconds: 600,
          async run(step) {
            const found = await translateEngineErrors(engine.imports.compare(target, step.signal))
            // The site of a backup has been changed since.
            const report = backup === undefined ? await withOriginal(found, deps.visitPublic, step) : found.report
            logReport(report, step.log)
            await step.transaction((tx) => writeSite(tx, ref.id, fieldsOf({ ...found, report })))
          },
        },
        { key: 'clean_up', label: 'Remove the uploaded archive', run: () => discardArchive(deps, archive) },
      ]
    },

    async done(context, tx) {
      await writeSite(tx, context.referenceName, { status: 'Live', failure: null })
    },

    failed: markFailed,

    async canceled(context) {
      await removeSite(deps, context)
      await discardArchive(deps, context.args.archive)
      await removeWork(deps, context.args.archive)
      return msg`the new site was removed`
    },
  }
}

/** Hands the fetched archive of a backup to the engine. */
const takeStep = (deps: SitesDeps, imports: SiteImports, archive: string): JobStepDefinition => ({
  key: 'take',
  label: 'Look at what it contains',
  deadlineSeconds: 1_800,
  async run() {
    await translateEngineErrors(imports.take(archive, workPath(deps, archive)))
    await removeWork(deps, archive)
  },
})

/** What the document of the site gets to know. The login name must be one that our own forms allow. */
function fieldsOf({ report, title, admin }: ImportedSite): Partial<Site> {
  return {
    import_report: report,
    import_defects: report.defects.length + report.more,
    ...(title === null || title === '' ? {} : { title: title.slice(0, 200) }),
    ...(admin !== null && isPlainLogin(admin.login)
      ? { admin_user: admin.login, ...(checkEmail(admin.email) === null ? { admin_email: admin.email } : {}) }
      : {}),
  }
}

/** The same as on the page of the site, for the log of the job. */
function logReport({ counts, defects, more }: ImportReport, log: (line: string) => void): void {
  for (const { what, expected, found } of counts) log(`${what}: ${found}${expected === null ? '' : ` of ${expected}`}`)
  for (const { kind, what, detail } of defects) log(`defect (${kind}): ${what}${detail === '' ? '' : `: ${detail}`}`)
  if (more > 0) log(`${more} more defects`)
  if (defects.length === 0) log('No defects were found')
}
