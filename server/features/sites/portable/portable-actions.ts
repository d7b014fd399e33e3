import { controller, type Controller } from '#server/contracts/controller.ts'
import { download } from '#server/contracts/files.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { importReport } from '#shared/responses/site-imports.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'

/** Exports of a site, and the report about its import. */
export function portableActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      export_site: (site, _args, { tx }) => enqueueFor(deps, tx, site, 'site.export_site'),
      download_export(site, _args, { tx }) {
        assertExport(site)
        return siteCall(deps, tx, site, {
          needs: 'export',
          async run({ exports }, ref) {
            const file = await exports.open(ref)
            // The wire recognizes this very object.
            return download({
              fileName: `${site.domain}-${new Date().toISOString().slice(0, 10)}.zip`,
              contentType: 'application/zip',
              length: file.size,
              tag: file.tag,
              open: (range) => file.open(range),
              close: () => void file.close(),
            }) as unknown as Record<string, unknown>
          },
        })
      },
      async delete_export(site, _args, { tx }) {
        await assertNotLocked(tx, site)
        return siteCall(deps, tx, site, {
          needs: 'export',
          async run({ exports }, ref) {
            // The file first: as long as the fields name it, its end is found by the sweep, too.
            await exports.remove(ref)
            return async (now, { tx: ending }) => {
              if (now['export_expires'] === site.export_expires)
                await writeSite(ending, site.name, { export_bytes: null, export_expires: null })
              return null
            }
          },
        })
      },
      async read_import_report(site) {
        const { data } = importReport.safeParse(site.import_report)
        return data === undefined || site.import_defects === null ? null : { ...data }
      },
      async close_import_report(site, _args, { tx }) {
        await writeSite(tx, site.name, { import_report: null, import_defects: null })
        return null
      },
    },
  })
}

function assertExport({ export_bytes: bytes }: Site): void {
  if (bytes !== null) return
  throw new AppError('conflict', msg`The export is no longer there.`, { nextAction: msg`Export the site again.` })
}
