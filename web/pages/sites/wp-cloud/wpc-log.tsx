import { useState } from 'react'
import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { wpcLog } from '#shared/responses/wpc-sites.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

const logs = ['php', 'access'] as const

/** The logs of a site of the last seven days, part by part. */
export function WpcLog({ site }: { site: WpcSite }) {
  const [log, setLog] = useState<(typeof logs)[number]>('php')
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null])
  const choose = (next: (typeof logs)[number]) => {
    setLog(next)
    setCursors([null])
  }
  return (
    <Card aria-label={t('log.title')}>
      <CardHead title={t('log.title')} subtitle={t('log.hint')} />
      <CardBody className="grid gap-3 text-table">
        <div className="w-max max-w-full">
          <Segmented
            label={t('log.which')}
            hideLabel
            options={logs.map((value) => ({ value, label: t(`log.${value}`) }))}
            value={log}
            onChange={choose}
          />
        </div>
        {/* Scrolls, so the keyboard must reach it. */}
        <div
          tabIndex={0}
          role="region"
          aria-label={t(`log.${log}`)}
          className="grid max-h-[60vh] gap-3 overflow-y-auto"
        >
          {cursors.map((cursor, at) => (
            <Part
              key={`${log}-${at}`}
              site={site}
              log={log}
              cursor={cursor}
              onOlder={at === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : null}
            />
          ))}
        </div>
      </CardBody>
    </Card>
  )
}

const tones = { error: 'text-bad', warning: 'text-warn', notice: 'text-muted', info: 'text-muted' } as const

function Part({
  site,
  log,
  cursor,
  onOlder,
}: {
  site: WpcSite
  log: string
  cursor: string | null
  /** Null: it is not the last part that is shown. */
  onOlder: ((cursor: string) => void) | null
}) {
  const read = useMethod(
    'run_doc_method',
    { dt: 'WPC Site', dn: site.name, method: 'read_log', args: { log, ...(cursor !== null && { cursor }) } },
    { verb: 'POST', returns: wpcLog, revalidateOnFocus: false },
  )
  if (read.error) return <ErrorPanel title={t('log.error')} error={read.error} onRetry={() => read.reload()} />
  if (!read.data) return <Skeleton className="h-24 w-full" />
  const { lines, cursor: next } = read.data
  if (lines.length === 0 && cursor === null) return <p className="text-muted">{t('log.empty')}</p>
  return (
    <>
      <ol className="grid gap-1 font-mono text-meta" translate="no">
        {lines.map((line, at) => (
          <li key={at} className="flex gap-x-3 max-md:flex-col">
            <span className="w-28 flex-none text-muted">
              <Time value={line.at} />
            </span>
            <span className={cx('min-w-0 wrap-anywhere', tones[line.level])}>{line.text}</span>
          </li>
        ))}
      </ol>
      {next !== null && onOlder ? (
        <span>
          <Button size="md" onClick={() => onOlder(next)}>
            {t('log.older')}
          </Button>
        </span>
      ) : null}
    </>
  )
}
