import { translateText } from '#web/lib/i18n/catalog.ts'
import type { Tone } from '#web/ui/status.tsx'

/** Presentation of a stored status: tone, whether work is in progress, and the label if it differs from the value. */
export interface StatusLook {
  readonly tone: Tone
  /** In progress: the icon spins and the status links to its job. */
  readonly busy?: boolean
  /** Label; defaults to the stored value. */
  readonly label?: string
}

const ok: StatusLook = { tone: 'ok' }
const warn: StatusLook = { tone: 'warn' }
const bad: StatusLook = { tone: 'bad' }
const off: StatusLook = { tone: 'off' }
const canceled: StatusLook = { tone: 'off', label: 'Canceled' }
const working: StatusLook = { tone: 'info', busy: true }
const leaving: StatusLook = { tone: 'off', busy: true }

const proofs: Readonly<Record<string, StatusLook>> = {
  Proven: ok,
  Failed: { tone: 'bad', label: 'Proof failed' },
  Inconclusive: warn,
  'Not Tested': { tone: 'none', label: 'Not tested' },
}

/** Presentation by doctype and field, then by stored value (docs/contracts/screens.md). */
const looks: Readonly<Record<string, Readonly<Record<string, StatusLook>>>> = {
  'Site.status': {
    'Setting Up': working,
    Live: ok,
    Updating: working,
    Restoring: working,
    Suspended: warn,
    Failed: bad,
    Archiving: leaving,
    Archived: off,
  },
  'WPC Site.status': {
    'Setting Up': working,
    Live: ok,
    Updating: working,
    Restoring: working,
    Suspended: warn,
    Failed: bad,
    Deleting: leaving,
  },
  'Deployment.status': { Queued: off, Running: working, Done: ok, Failed: bad, Cancelled: canceled },
  'Site.health': { Up: ok, Slow: warn, Down: bad, Asleep: off, 'Not Checked': { tone: 'none', label: 'Not checked' } },
  'Site.wordpress_checksum': { Verified: ok, Modified: bad, 'Not Checked': { tone: 'none', label: 'Not checked' } },
  'Site Backup.status': { Queued: off, Running: working, Ready: ok, Failed: bad, Restoring: working, Expired: off },
  // Shown, not stored: a job is proving it.
  'Site Backup.proof': { ...proofs, Testing: working },
  'Site.backup_proof': proofs,
  'Server.status': {
    Provisioning: working,
    'Setting Up': working,
    Rebooting: working,
    Healthy: ok,
    Degraded: warn,
    Disconnected: bad,
    Failed: bad,
    Decommissioning: leaving,
    Decommissioned: off,
  },
  'Job.status': {
    Queued: { tone: 'none' },
    Running: working,
    Cancelling: { tone: 'warn', busy: true, label: 'Canceling' },
    Done: ok,
    Failed: bad,
    Cancelled: canceled,
    'Lost Contact': { tone: 'warn', label: 'Lost contact' },
  },
  'Bulk Run.status': { Running: working, Paused: warn, Done: ok, Cancelled: canceled },
  'Invoice.status': { Paid: ok, Open: { tone: 'info' }, Overdue: bad, Void: off },
  'JobStep.status': { Waiting: { tone: 'none' }, Running: working, Done: ok, Failed: bad, Skipped: off },
  'Activity.result': { Done: ok, Failed: bad, Denied: warn, Started: { tone: 'none' }, Cancelled: canceled },
}

/** Presentation of a stored status; unknown values are shown unchanged in a neutral tone. Null if the field is no status. */
export function statusLook(doctype: string, field: string, value: string): StatusLook | null {
  const values = looks[`${doctype}.${field}`]
  if (!values) return null
  return values[value] ?? { tone: 'none' }
}

/** Whether a field is rendered as a status. */
export function isStatusField(doctype: string, field: string): boolean {
  return `${doctype}.${field}` in looks
}

/** Label of a stored status. */
export function statusLabel(doctype: string, field: string, value: string): string {
  return translateText(looks[`${doctype}.${field}`]?.[value]?.label ?? value)
}

/** Whether this status is the normal state (its actions stay visible while the document is busy). */
export function isRestingStatus(doctype: string, value: string): boolean {
  const look = statusLook(doctype, 'status', value)
  return look?.tone === 'ok'
}

/** Whether a document in this status has work in progress. */
export function isBusyStatus(doctype: string, value: string): boolean {
  return statusLook(doctype, 'status', value)?.busy === true
}
