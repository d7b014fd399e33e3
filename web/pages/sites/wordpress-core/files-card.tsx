import { useState } from 'react'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { isModified } from '#shared/responses/package-checksums.ts'
import { storedChecksum, type ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Time } from '#web/ui/time.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { DiffDrawer } from './diff-drawer.tsx'
import { t } from './messages.ts'
import { PackagesReport } from './packages-report.tsx'
import { Paths } from './paths.tsx'
import { VersionDialog } from './version-dialog.tsx'

/** Whether the files of WordPress, plugins and themes are the original ones. */
export function FilesCard({ wordpress, installed }: { wordpress: WordPress; installed: string }) {
  const { site, jobsHeld } = wordpress
  const [open, setOpen] = useState<string | null>(null)
  const [reinstalling, setReinstalling] = useState(false)
  const stored = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'checksum_report' },
    { verb: 'POST', returns: storedChecksum },
  )
  useDocEvents('Site', site.name, () => void stored.reload())
  const report = stored.data?.report
  return (
    <Card aria-labelledby="wordpress-files">
      <CardHead id="wordpress-files" title={t('files.title')}>
        {report && site.wordpress_checksum ? (
          <DocStatus doctype="Site" field="wordpress_checksum" value={site.wordpress_checksum} />
        ) : null}
      </CardHead>
      <CardBody className="grid gap-2.5">
        {stored.error && !stored.data ? (
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('files.error')}
            error={stored.error}
            onRetry={() => stored.reload()}
          />
        ) : report ? (
          <Report wordpress={wordpress} report={report} at={stored.data?.measured_at ?? null} onOpen={setOpen} />
        ) : (
          <p className="text-table text-muted">{stored.data ? t('files.never') : ''}</p>
        )}
        <div className="flex flex-wrap gap-2">
          <ActionButton type={SiteDoctype} doc={{ ...site, doctype: 'Site' }} name="verify_checksum" size="md" />
          {report && isModified(report) ? (
            <Button
              size="md"
              aria-disabled={jobsHeld === null ? undefined : true}
              title={jobsHeld ?? undefined}
              onClick={() => (jobsHeld === null ? setReinstalling(true) : undefined)}
            >
              {t('files.reinstall')}
            </Button>
          ) : null}
        </div>
      </CardBody>
      {open === null ? null : <DiffDrawer site={site} path={open} onClose={() => setOpen(null)} />}
      {reinstalling ? (
        <VersionDialog site={site} installed={installed} wanted={installed} onClose={() => setReinstalling(false)} />
      ) : null}
    </Card>
  )
}

function Report({
  wordpress,
  report,
  at,
  onOpen,
}: {
  wordpress: WordPress
  report: ChecksumReport
  at: string | null
  onOpen: (path: string) => void
}) {
  const { version, checked, truncated, source } = report
  return (
    <>
      <p className="text-table">
        {isModified(report) ? t('files.modified', { version }) : t('files.verified', { count: checked, version })}
      </p>
      <Paths lists={report} folder="" onOpen={onOpen} />
      {truncated ? <p className="text-meta text-muted">{t('files.truncated')}</p> : null}
      {isModified(report) ? <p className="text-table">{t('files.way_out')}</p> : null}
      <PackagesReport wordpress={wordpress} onOpen={onOpen} />
      <p className="text-meta text-muted">
        <Time
          variant="standalone"
          value={at}
          format={(when) => t(source === 'package' ? 'files.source_package' : 'files.source_org', { when })}
        />
      </p>
    </>
  )
}
