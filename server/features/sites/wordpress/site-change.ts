import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { PackageType } from '#server/engines/wordpress-packages.ts'
import type { PackageChange, WordPressChange } from '#shared/rules/wordpress-changes.ts'

/** Changes of WordPress that are jobs, because they can break the site. */
export const changeJobs = {
  activate_plugin: { job: 'site.activate_plugin', verb: 'Activate' },
  deactivate_plugin: { job: 'site.deactivate_plugin', verb: 'Deactivate' },
  delete_plugin: { job: 'site.delete_plugin', verb: 'Delete' },
  activate_theme: { job: 'site.activate_theme', verb: 'Activate' },
  delete_theme: { job: 'site.delete_theme', verb: 'Delete' },
  install_plugin: { job: 'site.install_plugin', verb: 'Install' },
  install_theme: { job: 'site.install_theme', verb: 'Install' },
  update_plugin: { job: 'site.update_plugin', verb: 'Update' },
  update_theme: { job: 'site.update_theme', verb: 'Update' },
  roll_back_plugin: { job: 'site.roll_back_plugin', verb: 'Roll back' },
  roll_back_theme: { job: 'site.roll_back_theme', verb: 'Roll back' },
  restore_plugin: { job: 'site.restore_plugin', verb: 'Put back the original files of' },
  restore_theme: { job: 'site.restore_theme', verb: 'Put back the original files of' },
} as const

/** Jobs that update everything of a kind. */
export const updateJobs = { plugin: 'site.update_plugins', theme: 'site.update_themes' } as const

/** A change that is a job. */
export type ChangeJobKind = keyof typeof changeJobs

/** A change that is a job, with what it changes. */
export type SiteChange = Extract<WordPressChange, { kind: ChangeJobKind }> | PackageChange

/**
 * What undoes a change: the engine's own record of what was active before the operation, of the package it replaced or of what it
 * deleted.
 */
export type Inverse = 'active' | 'package' | 'deleted'

/** How a change is made. */
export interface ChangeOptions {
  /** The job's name. */
  readonly operationId: string
  /** Without the site's own code. */
  readonly safe: boolean
  readonly signal: AbortSignal
}

/** Makes a change on a site. Repeating it is no error. */
export async function applyChange(
  engine: EngineWith<'wordpress'>,
  site: SiteRef,
  change: SiteChange,
  { operationId, safe, signal }: ChangeOptions,
): Promise<void> {
  const type = packageTypeOf(change)
  switch (change.kind) {
    case 'install_plugin':
    case 'install_theme':
      if ('staged' in change) {
        const { staged, replace } = change
        await engine.packages.install(site, type, { staged }, { operationId, replace, signal })
      } else await engine.packages.install(site, type, { slug: change.slug }, { operationId, signal })
      return
    case 'update_plugin':
    case 'update_theme': {
      const slug = slugOf(change)
      await engine.packages.install(site, type, { slug }, { operationId, replace: true, signal })
      return
    }
    case 'restore_plugin':
    case 'restore_theme':
      await engine.packages.restore(site, type, change.folder, { operationId, signal })
      return
    case 'roll_back_plugin':
    case 'roll_back_theme':
      await engine.packages.rollBack(site, type, 'plugin' in change ? change.plugin : change.theme, operationId)
      return
    default:
      await engine.wordpress.change(site, change, { safe, signal, operationId })
  }
}

/** Undoes a change. The change may be what keeps WordPress from loading. */
export async function undoChange(
  engine: EngineWith<'wordpress'>,
  site: SiteRef,
  inverse: Inverse,
  operationId: string,
): Promise<void> {
  if (inverse === 'package') await engine.packages.undo(site, operationId)
  else await engine.wordpress.undo(site, operationId)
}

/** Name on wordpress.org of a plugin or theme: its folder there and on the site are the same. */
export function slugOf(change: { readonly plugin: string } | { readonly theme: string }): string {
  return 'plugin' in change ? (change.plugin.split('/')[0] ?? '') : change.theme
}

/** Of what kind a change's package is. */
export const packageTypeOf = ({ kind }: SiteChange): PackageType => (kind.endsWith('_theme') ? 'theme' : 'plugin')

/** Whether a change exchanges files, not only what is active. */
export function changesFiles({ kind }: SiteChange): boolean {
  return !/^(?:de)?activate_/.test(kind)
}

/** What undoes a change. */
export function inverseOf(change: SiteChange): Inverse {
  switch (change.kind) {
    case 'activate_plugin':
    case 'deactivate_plugin':
    case 'activate_theme':
      return 'active'
    case 'delete_plugin':
    case 'delete_theme':
      return 'deleted'
    default:
      return 'package'
  }
}
