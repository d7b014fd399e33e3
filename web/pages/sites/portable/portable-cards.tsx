import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { storedImportReport, type ImportReport } from '#shared/responses/site-imports.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { methodAddress } from '#web/lib/api/wire-address.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { buttonStyle } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

/** Milliseconds since 1970 as a time of the API. */
function apiTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}.000000`
}

/** The export that can be downloaded, and what became of an import; for those who can change the site. */
export function PortableCards({ site }: { site: Site }) {
  const actions = useActions(SiteDoctype, { ...site, doctype: 'Site' })
  const may = (name: string) => actions.some((one) => one.name === name)
  return (
    <>
      {typeof site.export_bytes === 'number' && may('download_export') ? <ExportCard site={site} /> : null}
      {typeof site.import_defects === 'number' && may('read_import_report') ? <ReportCard site={site} /> : null}
    </>
  )
}

function ExportCard({ site }: { site: Site }) {
  const size = formatBytes(site.export_bytes ?? 0)
  return (
    <Card aria-labelledby="site-export">
      <CardHead id="site-export" title={t('export.title')} />
      <CardBody className="grid gap-2.5 text-table">
        <p>{t(site.site_type === 'wp' ? 'export.ready' : 'export.ready_files', { size })}</p>
        {site.site_type === 'wp' ? <p className="text-muted">{t('export.private')}</p> : null}
        <div className="flex flex-wrap items-center gap-2">
          <a
            href={methodAddress('easydash.api.site.download_export', { site: site.name })}
            download
            className={buttonStyle({ variant: 'primary', size: 'md' })}
          >
            {t('export.download')}
          </a>
          <ActionButton type={SiteDoctype} doc={{ ...site, doctype: 'Site' }} name="delete_export" size="md" />
          <span className="text-meta text-muted">
            {t('export.expires')} <Time variant="standalone" value={site.export_expires} />
          </span>
        </div>
      </CardBody>
    </Card>
  )
}

function ReportCard({ site }: { site: Site }) {
  const { data, error, reload } = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'read_import_report' },
    { verb: 'POST', returns: storedImportReport },
  )
  return (
    <Card aria-labelledby="site-import">
      <CardHead id="site-import" title={t('report.title')}>
        {data ? <Time variant="standalone" value={apiTime(data.at)} /> : null}
      </CardHead>
      <CardBody className="grid gap-3">
        {error && !data ? (
          <ErrorPanel title={t('report.error')} error={error} onRetry={() => reload()} />
        ) : data === null ? null : data ? (
          <>
            <Defects report={data} />
            <Counts report={data} />
            {data.from ? (
              <p className="text-meta wrap-anywhere text-muted">{t('report.from', { url: data.from })}</p>
            ) : null}
            <div>
              <ActionButton
                type={SiteDoctype}
                doc={{ ...site, doctype: 'Site' }}
                name="close_import_report"
                size="md"
              />
            </div>
          </>
        ) : (
          <Skeleton className="h-24 w-full" />
        )}
      </CardBody>
    </Card>
  )
}

function Defects({ report: { defects, more, file } }: { report: ImportReport }) {
  const kinds = [...new Set(defects.map(({ kind }) => kind))]
  const count = defects.length + more
  if (count === 0) return <Notice tone="ok">{t('report.good', { file })}</Notice>
  return (
    <div className="grid gap-2 text-table">
      <Notice tone="warn">{t('report.defects', { count, file })}</Notice>
      {kinds.map((kind) => {
        const ofKind = defects.filter((one) => one.kind === kind)
        return (
          <details key={kind} open={kinds.length <= 2 && ofKind.length <= 10}>
            <summary className="cursor-pointer py-1 font-medium max-md:py-2.5">
              {t(`defect.${kind}`)} ({formatNumber(ofKind.length)})
            </summary>
            <ul className="mt-1 grid gap-1 text-meta" translate="no">
              {ofKind.map(({ what, detail }, index) => (
                <li key={index} className="wrap-anywhere">
                  <span className="font-mono">{what}</span>
                  {detail === '' ? null : <span className="text-muted"> {detail}</span>}
                </li>
              ))}
            </ul>
          </details>
        )
      })}
      {more > 0 ? <p className="text-meta text-muted">{t('report.more', { count: more })}</p> : null}
    </div>
  )
}

function Counts({ report: { source, counts } }: { report: ImportReport }) {
  return (
    <DetailList
      details={[
        { label: t('report.source'), value: t(`source.${source}`) },
        ...counts.map(({ what, expected, found }) => ({
          label: t(`report.${what}`),
          value:
            what === 'original' && expected === 0
              ? t('report.original_away')
              : expected === null || expected === found
                ? formatNumber(found)
                : t('report.of', { found: formatNumber(found), expected: formatNumber(expected) }),
        })),
      ]}
    />
  )
}
