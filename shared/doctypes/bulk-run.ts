import { doctype, type Doc } from '../doctype.ts'
import { data, datetime, int, link, select } from '../fields.ts'
import { bulkActionNames } from '../rules/bulk-actions.ts'

/** States of a bulk run. `Cancelled`: starts no more sites; those that had begun end. */
export const bulkRunStatuses = ['Running', 'Paused', 'Done', 'Cancelled'] as const

const measured = { read_only: true, server_owned: true } as const
const count = int({ ...measured, reqd: true, default: 0 })

/** Those who steer jobs steer bulk runs. */
const steers = {
  Owner: true,
  'Organization Admin': true,
  'Organization Manager': true,
  'Organization User': ['owner', '=', '$user'],
} as const

/**
 * One action on many sites: each site gets an ordinary job of its own, some at a time. The sites and what became of them are
 * rows of `easydash_bulk_row`. It acts with the rights of its owner: whoever started or last resumed it.
 */
export const BulkRunDoctype = doctype('Bulk Run', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'label',
  plural: 'Bulk runs',
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, ...measured }),
    action: select(bulkActionNames, { reqd: true, ...measured }),
    /** The action's argument, for example a PHP version; null if it has none. */
    argument: data({ ...measured, length: 200 }),
    /** Label for users, for example "Change PHP version to 8.4". */
    label: data({ ...measured, length: 300, in_list_view: true, label: 'Action' }),
    status: select(bulkRunStatuses, { ...measured, default: 'Running', in_list_view: true, in_standard_filter: true }),
    total: count,
    waiting: count,
    running: count,
    done: count,
    failed: count,
    skipped: count,
    canceled: count,
    ended: datetime({ ...measured }),
  },
  list: { order_by: 'creation desc' },
  indexes: [{ fields: ['organization', 'owner', 'creation', 'name'] }],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
    'Organization User': { read: ['owner', '=', '$user'] },
  },
  actions: {
    rows: { label: 'Show sites', allow: steers, reads: true, returns: 'BulkRows', hidden: true },
    pause: {
      label: 'Pause',
      activity: 'paused a bulk run',
      allow: steers,
      from: ['Running'],
      returns: 'Nothing',
      tokens: false,
    },
    resume: {
      label: 'Resume',
      activity: 'resumed a bulk run',
      allow: steers,
      from: ['Paused'],
      returns: 'Nothing',
      tokens: false,
    },
    cancel: {
      label: 'Cancel',
      activity: 'canceled a bulk run',
      allow: steers,
      from: ['Running', 'Paused'],
      returns: 'Nothing',
      tokens: false,
      danger: true,
    },
    retry_failed: {
      label: 'Retry failed',
      activity: 'retried the failed sites of a bulk run',
      allow: steers,
      returns: 'Nothing',
      tokens: false,
    },
  },
})

/** A bulk run. */
export type BulkRun = Doc<typeof BulkRunDoctype>
