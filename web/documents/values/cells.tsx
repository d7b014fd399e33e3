import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { StatusPill, type Tone } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { jobSearch } from '../jobs/job-link.ts'
import { valueLabel } from '../query/list-query.ts'
import { linkTitleKey } from '../query/list-request.ts'
import { t as valueText } from '../messages.ts'
import { isStatusField, statusLabel, statusLook } from './status-tones.ts'
import { useJobReadable } from '../jobs/use-job-readable.ts'

/** A row of a list response whose doctype is not known at compile time. */
export type ListRow = { readonly name: string } & Readonly<Record<string, unknown>>

/** Placeholder for an unset value. */
export function Nothing() {
  return <span className="text-muted">{valueText('value.none')}</span>
}

/** A document's status as icon and text. While a job is running, it links to the job for users who can read it. */
export function DocStatus({
  doctype,
  field = 'status',
  value,
  job,
  jobReadable,
  inset,
  tone,
}: {
  doctype: string
  field?: string
  value: string
  /** Instead of that of the value, where more than the value decides. */
  tone?: Tone | undefined
  job?: string | null
  /** Whether the user can read the job, if the list knows; otherwise it is requested. */
  jobReadable?: boolean
  inset?: boolean
}) {
  const look = statusLook(doctype, field, value) ?? { tone: 'none' as const }
  const pill = (
    <StatusPill tone={tone ?? look.tone} busy={look.busy ?? false} inset={inset ?? false}>
      {statusLabel(doctype, field, value)}
    </StatusPill>
  )
  if (!look.busy || !job || jobReadable === false) return pill
  return jobReadable ? <JobLink job={job}>{pill}</JobLink> : <MaybeJobLink job={job}>{pill}</MaybeJobLink>
}

function MaybeJobLink({ job, children }: { job: string; children: ReactNode }) {
  return useJobReadable(job) ? <JobLink job={job}>{children}</JobLink> : children
}

function JobLink({ job, children }: { job: string; children: ReactNode }) {
  const { search, hash } = useLocation()
  return (
    <Link to={{ search: jobSearch(search, job), hash }} className="rounded-full hover:underline">
      {children}
    </Link>
  )
}

/** Renders a field's value by its description. */
export function FieldValue({ type, field, row }: { type: Doctype; field: string; row: ListRow }): ReactNode {
  const value = row[field]
  if (value === null || value === undefined || value === '') return <Nothing />
  const described = type.fields[field]
  if (isStatusField(type.name, field)) {
    const job = field === 'status' && typeof row['locked_by_job'] === 'string' ? row['locked_by_job'] : null
    // Lists load titles of linked documents; those the user can't read have none.
    const title = row[linkTitleKey('locked_by_job')]
    const known = title === undefined ? {} : { jobReadable: title !== null }
    return <DocStatus doctype={type.name} field={field} value={String(value)} job={job} {...known} />
  }
  if (described?.fieldtype === 'Datetime' || field === 'creation' || field === 'modified')
    return <Time value={String(value)} />
  if (described?.fieldtype === 'Check') return value ? valueText('value.yes') : valueText('value.no')
  if (described?.fieldtype === 'Int' || described?.fieldtype === 'Float') return formatNumber(Number(value))
  if (described?.fieldtype === 'Link') {
    const title = row[linkTitleKey(field)]
    if (typeof title === 'string' && title !== '') return title
    if (described.options !== 'User') return <Nothing />
  }
  return valueLabel(type, field, String(value))
}
