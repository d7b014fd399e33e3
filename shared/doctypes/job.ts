import { doctype, type Doc } from '../doctype.ts'
import { data, datetime, float, int, json, link, longText, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { jobStatuses } from '../rules/job-statuses.ts'

/** States of a step. */
export const stepStatuses = ['Waiting', 'Running', 'Done', 'Failed', 'Skipped'] as const

/** What a step made and later ones need, such as the address of a machine and its id at the vendor. Redacted. */
export type KeptValues = Readonly<Record<string, string | number | boolean | null>>

/** A kept value that the drawer shows, with its label. */
export interface ShownValue {
  name: string
  label: string
}

/** One named step of a job. Times are `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export interface JobStep {
  key: string
  label: string
  status: (typeof stepStatuses)[number]
  started: string | null
  ended: string | null
  /** 0 to 100, of this step. */
  percent: number
  /** Share of this step in the whole job. */
  weight: number
  /** Set while the step waits without occupying a worker: the reason, and since when. */
  wait?: StepWaiting | null
  /** Set from the first failed attempt of a step that is tried again, until it has ended. */
  retry?: StepRetry | null
  /** Set if the job failed and what this step had done was taken back: a retry does it again. */
  undone?: true
  kept?: KeptValues
  /** What the drawer shows of `kept`. */
  shows?: readonly ShownValue[] | undefined
  /** What it means to continue without this step; missing: nobody can. */
  continue_anyway?: string | undefined
}

/** The next attempt of a step, and why the one before failed. */
export interface StepRetry {
  /** From 2. */
  attempt: number
  /** Most attempts that it gets. */
  of: number
  reason: string
  reason_i18n: MessageDescriptor | null
}

/** Reason a step is waiting, for example "Waiting for the provider". */
export interface StepWaiting {
  since: string
  reason: string
  reason_i18n: MessageDescriptor | null
}

/** An action that waits for another job, as it was called. */
export interface WaitingCall {
  doctype: string
  name: string
  action: string
  args: Record<string, unknown>
}

const measured = { read_only: true, server_owned: true } as const

/** Who can cancel, retry and continue a job. */
const operators = {
  Owner: true,
  'Organization Admin': true,
  'Organization Manager': true,
  'Organization User': ['owner', '=', '$user'],
} as const

/** A long operation as users see it. pg-boss handles queue and leases. */
export const JobDoctype = doctype('Job', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'jobs',
  naming: 'random',
  title_field: 'label',
  plural: 'Jobs',
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, ...measured }),
    job_type: data({ reqd: true, ...measured }),
    /** Label for users, for example "Create blog". */
    label: data({ ...measured, length: 500, in_list_view: true, label: 'Job' }),
    status: select(jobStatuses, { ...measured, default: 'Queued', in_list_view: true, in_standard_filter: true }),
    percent: int({ ...measured, default: 0 }),
    reference_doctype: data({ ...measured }),
    reference_name: data({ ...measured }),
    /** Title of the reference when the job started, readable even after the document is deleted. */
    reference_title: data({ ...measured, length: 253, search_index: true, label: 'Target' }),
    /** Address of the reference then, if that says more than the title. */
    reference_address: data({ ...measured, length: 253, search_index: true, label: 'Address' }),
    steps: json<JobStep[]>({
      ...measured,
      is_list: {
        key: data({ reqd: true }),
        label: data({ reqd: true }),
        status: select(stepStatuses, { reqd: true }),
        started: datetime(),
        ended: datetime(),
        percent: int(),
        wait: json(),
        retry: json(),
        kept: json(),
        shows: json({ is_list: { name: data({ reqd: true }), label: data({ reqd: true }) } }),
        continue_anyway: data(),
      },
    }),
    args: json<Record<string, unknown>>({ server_owned: true, hidden: true }),
    /** Name of the server it works on and shares with other jobs; a server that is its reference it holds alone. */
    shared_server: data({ server_owned: true, hidden: true }),
    /** Fencing token: incremented on each claim and compared in every write. */
    attempt: int({ ...measured, default: 0 }),
    started: datetime({ ...measured }),
    ended: datetime({ ...measured }),
    deadline: datetime({ ...measured }),
    heartbeat: datetime({ server_owned: true, hidden: true }),
    error_code: data({ ...measured }),
    error_message: longText({ ...measured }),
    error_message_i18n: json<MessageDescriptor>({ ...measured }),
    next_action: text({ ...measured }),
    next_action_i18n: json<MessageDescriptor>({ ...measured }),
    /** One-line result for users, for example "Canceled by Ann; the site was removed". */
    outcome: data({ ...measured, length: 500 }),
    outcome_i18n: json<MessageDescriptor>({ ...measured }),
    /** Why this kind of job can't be canceled; null if it can. */
    cancel_refused: data({ ...measured, length: 300 }),
    /** What it made, if that is no document; null otherwise. */
    result: json<{ url: string }>({ ...measured }),
    cancelled_by: link('User', { ...measured }),
    retry_of: link('Job', { ...measured }),
    /** The action that starts the job when it is its turn; null unless it waits for another one or never got its turn. */
    waiting_call: json<WaitingCall>({ server_owned: true, hidden: true }),
    /** When it began to wait, which is its place among those that wait for the same reference. A retry begins anew. */
    waits_since: datetime({ server_owned: true, hidden: true }),
    /** Since when its call can't be made, although it is its turn; null if it could be, or was not tried yet. */
    unavailable_since: datetime({ server_owned: true, hidden: true }),
    /** The job of the same reference that it waits for, that job's label, and the title of its target, which is in the label. */
    waits_for: link('Job', { ...measured }),
    waits_for_label: data({ ...measured, length: 300 }),
    waits_for_title: data({ ...measured, length: 253 }),
    /** The bulk run that started it, whose page shows how it ended. */
    bulk_run: data({ ...measured }),
    log_lines: int({ ...measured, default: 0 }),
    /** Median duration in seconds of earlier jobs of this type, computed when it was queued; null without history. */
    usual_seconds: float({ ...measured }),
  },
  list: { order_by: 'creation desc', sort_fields: ['ended'] },
  // Index on owner: finds a member's jobs, newest first, among those of a large organization.
  indexes: [
    { fields: ['reference_doctype', 'reference_name'] },
    { fields: ['job_type'] },
    { fields: ['shared_server'], where: 'ended is null' },
    // Jobs that wait, which are looked for every few seconds.
    { fields: ['creation', 'name'], where: 'waiting_call is not null' },
    { fields: ['organization', 'owner', 'creation', 'name'] },
    // A user's own jobs that ended last, which each of their tabs reads when a job changes.
    { fields: ['organization', 'owner', 'ended', 'name'], where: 'ended is not null' },
  ],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
    'Organization User': { read: ['owner', '=', '$user'] },
  },
  actions: {
    cancel: {
      label: 'Cancel',
      activity: 'canceled a job',
      allow: operators,
      from: ['Queued', 'Running', 'Lost Contact'],
      danger: true,
    },
    retry: {
      label: 'Retry',
      activity: 'retried a job',
      allow: operators,
      from: ['Failed'],
    },
    continue_anyway: {
      label: 'Continue anyway',
      activity: 'continued a job',
      allow: operators,
      from: ['Running', 'Failed'],
      // The step that was shown: the job may be at another one by now.
      args: { step: data({ reqd: true }) },
      hidden: true,
    },
  },
})

/** A job document. */
export type Job = Doc<typeof JobDoctype>
