import { isModified, storedPackageChecksums, type PackageChecksum } from '#shared/responses/package-checksums.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { Button } from '#web/ui/button.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { t } from './messages.ts'
import { Paths } from './paths.tsx'

const sources: Readonly<Record<NonNullable<PackageChecksum['source']>, () => string>> = {
  'wordpress.org': () => t('packages.source_wordpress.org'),
  installed: () => t('packages.source_installed'),
  uploaded: () => t('packages.source_uploaded'),
  bundled: () => t('packages.source_bundled'),
}

const reasons: Readonly<Record<NonNullable<PackageChecksum['unchecked']>, () => string>> = {
  unknown: () => t('packages.unknown'),
  offline: () => t('packages.offline'),
  too_many: () => t('packages.too_many'),
}

/** What the last verification found about plugins and themes: modified ones with their files, and a list of all. */
export function PackagesReport({ wordpress, onOpen }: { wordpress: WordPress; onOpen: (path: string) => void }) {
  const { site, held, changing } = wordpress
  const stored = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'package_checksums' },
    { verb: 'POST', returns: storedPackageChecksums },
  )
  useDocEvents('Site', site.name, () => void stored.reload())
  const restore = ({ type, id }: PackageChecksum) =>
    wordpress.change('restore_package', { type, folder: id }, { key: `restore ${type} ${id}` })
  const packages = stored.data?.packages
  if (stored.error && !stored.data) {
    return (
      <ErrorPanel
        className="flex items-start gap-3"
        title={t('files.error')}
        error={stored.error}
        onRetry={() => stored.reload()}
      />
    )
  }
  if (!packages) return null
  const modified = packages.filter(isModified)
  const unchecked = packages.filter(({ source }) => source === null).length
  const verified = packages.length - modified.length - unchecked
  return (
    <section aria-labelledby="checksums-packages" className="grid gap-2 border-t border-hairline pt-2.5">
      <h3 id="checksums-packages" className="text-table font-semibold">
        {t('packages.title')}
      </h3>
      {modified.map((one) => (
        <div key={`${one.type} ${one.id}`} className="grid gap-1">
          <p className="flex flex-wrap items-center gap-2 text-table">
            <span translate="no" className="font-medium wrap-anywhere">
              {one.name} {one.version}
            </span>
            <Tag tone="bad">{t('packages.modified')}</Tag>
          </p>
          <Paths lists={one} folder={folderOf(one)} onOpen={onOpen} />
          {one.truncated ? <p className="text-meta text-muted">{t('files.truncated')}</p> : null}
          {one.source === null ? null : <p className="text-meta text-muted">{sources[one.source]()}</p>}
          {one.restorable ? (
            <Button
              size="md"
              className="justify-self-start"
              busy={changing === `restore ${one.type} ${one.id}`}
              aria-label={t('packages.restore_of', { name: one.name })}
              aria-disabled={held === null ? undefined : true}
              title={held ?? undefined}
              onClick={() => (held === null ? void restore(one) : undefined)}
            >
              {t('packages.restore')}
            </Button>
          ) : null}
        </div>
      ))}
      <p className="text-table">
        {verified === 0 ? '' : t('packages.verified', { count: verified })}{' '}
        {unchecked === 0 ? '' : t('packages.unchecked', { count: unchecked })}
      </p>
      <details className="text-table">
        <summary className="cursor-pointer py-1 font-medium max-md:py-2.5">
          {t('packages.list')} ({packages.length})
        </summary>
        <ul className="mt-1 grid gap-2">
          {packages.map((one) => (
            <li key={`${one.type} ${one.id}`} className="grid gap-0.5">
              <p className="flex flex-wrap items-center gap-2">
                <span translate="no" className="wrap-anywhere">
                  {one.name} {one.version}
                </span>
                <Result package={one} />
              </p>
              <p className="text-meta text-muted">
                {one.source === null ? reasons[one.unchecked ?? 'unknown']() : sources[one.source]()}
              </p>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

function Result({ package: one }: { package: PackageChecksum }) {
  if (one.source === null) return <Tag>{t('packages.not_checked')}</Tag>
  return isModified(one) ? (
    <Tag tone="bad">{t('packages.modified')}</Tag>
  ) : (
    <Tag tone="ok">{t('packages.is_verified')}</Tag>
  )
}

/** A plugin that is a single file has none of its own. */
function folderOf({ type, id }: PackageChecksum): string {
  const home = `wp-content/${type}s/`
  return type === 'plugin' && id.endsWith('.php') ? home : `${home}${id}/`
}
