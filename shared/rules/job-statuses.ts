/** States of a job. Clients depend on these values. */
export const jobStatuses = ['Queued', 'Running', 'Cancelling', 'Done', 'Failed', 'Cancelled', 'Lost Contact'] as const

/** States of a job that has not ended. */
export const unfinishedJobStatuses = ['Queued', 'Running', 'Cancelling', 'Lost Contact'] as const

/** States of a job that has ended. */
export const endedJobStatuses: readonly string[] = ['Done', 'Failed', 'Cancelled']
