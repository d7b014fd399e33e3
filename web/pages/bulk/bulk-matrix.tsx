import { useState } from 'react'
import type { BulkRow, BulkRowStep } from '#shared/responses/bulk.ts'
import { stepLabel } from '#web/documents/jobs/job-label.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { Nothing } from '#web/documents/values/cells.tsx'
import { statusLabel, statusLook } from '#web/documents/values/status-tones.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { StatusIcon, StatusPill } from '#web/ui/status.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { reasonOf, stateLooks, stepColumns } from './bulk-states.ts'
import { t } from './messages.ts'

/** Rows rendered initially, and added with each "more". */
const step = 200

/** The sites of a bulk run and the steps of their jobs: a table, or cards on phones. `all` decides about the columns. */
export function BulkMatrix({ rows, all }: { rows: readonly BulkRow[]; all: readonly BulkRow[] }) {
  const [shown, setShown] = useState(step)
  const phone = useBreakpoint() === 'phone'
  const now = useNow(all.some(({ state }) => state === 'running') ? 1000 : null)
  const columns = stepColumns(all)
  const drawn = rows.slice(0, shown)
  return (
    <>
      {phone ? (
        <ul className="grid gap-2">
          {drawn.map((row) => (
            <li key={row.site} className="rounded-card border border-border bg-surface p-3 text-table shadow-xs">
              <div className="flex items-start justify-between gap-3">
                <SiteName row={row} />
                <State row={row} />
              </div>
              <Reason row={row} />
              <ul className="mt-1.5 grid gap-1">
                {row.steps.map((one) => (
                  <li key={one.key} className="flex items-center justify-between gap-3 text-muted">
                    <span className="min-w-0 wrap-anywhere">{stepLabel(one)}</span>
                    <StepState step={one} now={now} />
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      ) : (
        <Table label={t('bulk.matrix')} rowCount={rows.length + 1}>
          <thead>
            <tr>
              <HeadCell sticky>{t('bulk.site')}</HeadCell>
              <HeadCell>{t('bulk.state')}</HeadCell>
              {columns.map((column) => (
                <HeadCell key={column.key}>{stepLabel(column)}</HeadCell>
              ))}
              <HeadCell right>{t('bulk.took')}</HeadCell>
            </tr>
          </thead>
          <tbody>
            {drawn.map((row) => (
              <Row key={row.site}>
                <NameCell>
                  <SiteName row={row} />
                </NameCell>
                <Cell className="max-w-96 whitespace-normal!">
                  <State row={row} />
                  <Reason row={row} />
                </Cell>
                {columns.map(({ key }) => {
                  const one = row.steps.find((given) => given.key === key)
                  return <Cell key={key}>{one ? <StepState step={one} now={now} /> : <Nothing />}</Cell>
                })}
                <Cell right>
                  <Took started={row.started} ended={row.ended} now={now} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      {drawn.length < rows.length ? (
        <p className="mt-3">
          <Button onClick={() => setShown(shown + step)}>
            {t('bulk.more', { count: rows.length - drawn.length })}
          </Button>
        </p>
      ) : null}
    </>
  )
}

/** Links to the page of the site, as long as it has one. */
function SiteName({ row }: { row: BulkRow }) {
  return (
    <span className="grid min-w-0">
      {row.deleted ? (
        <span className="min-w-0 font-medium wrap-anywhere">{row.title}</span>
      ) : (
        <Link data-row-link className="min-w-0 font-medium wrap-anywhere hover:underline" to={`/site/${row.site}`}>
          {row.title}
        </Link>
      )}
      {row.address === null ? null : (
        <span className="text-meta font-normal text-muted wrap-anywhere" translate="no">
          {row.address}
        </span>
      )}
      {row.deleted ? <span className="text-meta font-normal text-muted">{t('bulk.deleted')}</span> : null}
    </span>
  )
}

/** State of a site; opens its job if it has one. */
function State({ row }: { row: BulkRow }) {
  const openJob = useOpenJob()
  const { tone, busy = false } = stateLooks[row.state]
  const label = t(`bulk.${row.state}`)
  const pill = (
    <StatusPill tone={tone} busy={busy}>
      {label}
    </StatusPill>
  )
  if (row.job === null) return pill
  return (
    <button
      type="button"
      className="rounded-full hover:underline max-md:min-h-6"
      aria-label={`${label}. ${t('bulk.job_of', { title: row.title })}`}
      onClick={() => openJob(row.job)}
    >
      {pill}
    </button>
  )
}

function Reason({ row }: { row: BulkRow }) {
  const reason = reasonOf(row)
  if (!reason) return null
  return (
    <p
      lang={reason.lang}
      className={`mt-0.5 text-meta wrap-anywhere ${row.state === 'failed' ? 'text-bad' : 'text-muted'}`}
    >
      {reason.text}
    </p>
  )
}

/** State of a step as an icon with its duration. */
function StepState({ step: { status, started, ended }, now }: { step: BulkRowStep; now: number }) {
  const look = statusLook('JobStep', 'status', status) ?? { tone: 'none' as const }
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
      <StatusIcon tone={look.tone} busy={look.busy ?? false} size={14} />
      <span className="sr-only">{statusLabel('JobStep', 'status', status)}</span>
      {status === 'Waiting' || status === 'Skipped' ? null : <Took started={started} ended={ended} now={now} />}
    </span>
  )
}

function Took({ started, ended, now }: { started: string | null; ended: string | null; now: number }) {
  const seconds = secondsBetween(started, ended, now)
  if (seconds === null) return <Nothing />
  return <span className="tabular-nums">{formatDuration(ended === null ? Math.floor(seconds) : seconds)}</span>
}
