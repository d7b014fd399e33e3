import { controller, type Controller } from '#server/contracts/controller.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import type { UploadContents } from '../placed-uploads.ts'
import { siteCall } from '../site-call.ts'
import { enqueueChange } from './enqueue-change.ts'
import { packageFolder } from './valid-names.ts'
import { deleteStaged, readStaged, writeStaged } from './package-table.ts'

/** Actions about uploaded plugins and themes: the site keeps their content until they are installed or discarded. */
export function packageActions(deps: SitesDeps, contents: UploadContents): Controller {
  return controller(SiteDoctype, {
    actions: {
      stage_package: (site, { upload }, { tx, session }) =>
        siteCall(deps, tx, site, {
          needs: 'wordpress',
          changes: true,
          async run(engine, ref) {
            const about = await engine.packages.stage(ref, contents.pathOf(session, upload), { id: upload })
            const at = formatTimestamp((deps.clock ?? systemClock).now())
            await deps
              .documents()
              .transaction(systemSession(), (own) => writeStaged(own, { id: upload, site: site.name, about, at }))
            return { package: upload, ...about }
          },
        }),
      async discard_package(site, { package: id }, { tx }) {
        await deleteStaged(tx, site.name, id)
        return siteCall(deps, tx, site, {
          needs: 'wordpress',
          changes: true,
          async run(engine, ref) {
            await engine.packages.discard(ref, id)
            return null
          },
        })
      },
      restore_package: (site, { type, folder }, { tx }) =>
        enqueueChange(deps, tx, site, { kind: `restore_${type}`, folder: packageFolder(folder) }),
      async install_package(site, { package: id, replace }, { tx }) {
        const staged = await readStaged(tx, site.name, id)
        if (staged === null) {
          throw new AppError('not_found', msg`The uploaded file is no longer there.`, {
            nextAction: msg`Upload it again.`,
          })
        }
        const { type, name, version, installed } = staged
        if (installed !== null && replace !== 1) {
          throw new AppError('conflict', msg`${name} ${installed} is installed already.`, {
            nextAction: msg`Choose to replace it with ${version}.`,
          })
        }
        const title = `${name} ${version}`.trim()
        const change = { kind: `install_${type}`, staged: id, replace: replace === 1, title } as const
        return enqueueChange(deps, tx, site, change)
      },
    },
  })
}
