import type { Site } from '#shared/doctypes/site.ts'
import { fileComparison, type FileComparison } from '#shared/responses/file-comparison.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

/** Most lines that are drawn. */
const maxLines = 3_000

/** What differs between a file of the site and its original, as text. */
export function DiffDrawer({ site, path, onClose }: { site: Site; path: string; onClose: () => void }) {
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'compare_wordpress_file', args: { path } },
    { verb: 'POST', returns: fileComparison },
  )
  return (
    <Drawer
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('diff.title')}
      head={
        <p translate="no" className="mt-1 font-mono text-meta text-muted wrap-anywhere">
          {path}
        </p>
      }
    >
      <div className="p-5">
        {read.error && !read.data ? (
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('diff.error')}
            error={read.error}
            onRetry={() => read.reload()}
          />
        ) : read.data ? (
          <Comparison found={read.data} />
        ) : (
          <div role="status" aria-label={t('diff.loading')}>
            <Skeleton className="h-48 w-full" />
          </div>
        )}
      </div>
    </Drawer>
  )
}

const plainTexts: Readonly<Record<Exclude<FileComparison['result'], 'text'>, () => string>> = {
  same: () => t('diff.same'),
  binary: () => t('diff.binary'),
  too_long: () => t('diff.too_long'),
  too_different: () => t('diff.too_different'),
  no_original: () => t('diff.no_original'),
}

function Comparison({ found }: { found: FileComparison }) {
  const { result, diff, truncated, original_bytes, bytes } = found
  const sizeOf = (size: number | null) => (size === null ? t('diff.absent') : formatBytes(size))
  const lines = (diff ?? '').split('\n').slice(0, -1)
  return (
    <div className="grid gap-3">
      {result === 'no_original' ? null : (
        <p className="text-table text-muted">
          {t('diff.sizes', { before: sizeOf(original_bytes), after: sizeOf(bytes) })}
        </p>
      )}
      {result === 'text' ? (
        <>
          <p className="text-meta text-muted">{t('diff.lines')}</p>
          <pre
            translate="no"
            dir="ltr"
            tabIndex={0}
            aria-label={t('diff.title')}
            className="overflow-x-auto rounded-card border border-hairline font-mono text-meta leading-5"
          >
            <code className="block w-max min-w-full">
              {lines.slice(0, maxLines).map((line, at) => (
                // Lines repeat, and never change their order.
                <span key={`${at}`} className={cx('block px-3 whitespace-pre', toneOf(line))}>
                  {line === '' ? ' ' : line}
                </span>
              ))}
            </code>
          </pre>
          {truncated || lines.length > maxLines ? <Notice tone="info">{t('diff.truncated')}</Notice> : null}
        </>
      ) : (
        <Notice tone="info">{plainTexts[result]()}</Notice>
      )}
    </div>
  )
}

function toneOf(line: string): string {
  if (line.startsWith('+')) return 'bg-ok-bg text-ok'
  if (line.startsWith('-')) return 'bg-bad-bg text-bad'
  return line.startsWith('@@') ? 'bg-hover text-muted' : ''
}
