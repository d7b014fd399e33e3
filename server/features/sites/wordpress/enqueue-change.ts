import type { Tx } from '#server/contracts/transaction.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { isPackageSlug } from '#shared/rules/wordpress-changes.ts'
import type { SitesDeps } from '../deps.ts'
import { enqueueFor } from '../enqueue-site.ts'
import { readFacts } from './facts-table.ts'
import { changeJobs, inverseOf, slugOf, type SiteChange } from './site-change.ts'

/** Starts the job of a change of WordPress. Throws `unsupported` if the engine or wordpress.org can't do it. */
export async function enqueueChange(deps: SitesDeps, tx: Tx, site: Site, change: SiteChange): Promise<{ job: string }> {
  if ((change.kind === 'update_plugin' || change.kind === 'update_theme') && !isPackageSlug(slugOf(change))) {
    throw new AppError('unsupported', msg`Only plugins and themes of wordpress.org can be updated from there.`, {
      nextAction: msg`Upload its new version as a ZIP file.`,
    })
  }
  const { facts } = await readFacts(tx, site.name)
  return enqueueFor(deps, tx, site, changeJobs[change.kind].job, {
    change,
    inverse: inverseOf(change),
    title: nameOf(facts, change),
    wasDown: site.health === 'Down',
  })
}

function nameOf(facts: WordPressFacts | null, change: SiteChange): string {
  if ('slug' in change) return change.slug
  if ('staged' in change) return change.title
  if ('folder' in change) return nameOfFolder(facts, change)
  const id = 'plugin' in change ? change.plugin : change.theme
  return [...(facts?.plugins ?? []), ...(facts?.themes ?? [])].find((one) => one.id === id)?.name ?? id
}

function nameOfFolder(
  facts: WordPressFacts | null,
  { kind, folder }: Extract<SiteChange, { readonly folder: string }>,
): string {
  const one =
    kind === 'restore_theme'
      ? facts?.themes.find(({ id }) => id === folder)
      : facts?.plugins.find(({ id }) => id.startsWith(`${folder}/`))
  return one?.name ?? folder
}
