import { expect, test } from 'vitest'
import type { PhpRun } from '../processes/process-context.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { runDueEvents } from './run-due-events.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

const record = { id: 's1', siteType: 'wp', changing: null } as unknown as SiteRecord

/** Runs the events of a site whose PHP works on these requests; resolves with how many ran, and the scripts that were called. */
async function eventsDuring(runs: PhpRun[]): Promise<[ran: number, called: string[]]> {
  const called: string[] = []
  const process = {
    runs: () => runs,
    call: async (script: string) => {
      called.push(script)
      return { value: { ran: 2, nextCron: null, others: [] }, headers: {} }
    },
  } as unknown as SiteProcess
  const store = { change: async () => undefined } as unknown as SiteStore
  return [await runDueEvents(store, record, async () => process), called]
}

test('scheduled events do not wait behind a long request in wp-admin, which their deadline would end with them', async () => {
  const run: PhpRun = { since: 0, request: 1, isAdmin: false }
  expect(await eventsDuring([run])).toEqual([2, ['cron']])
  expect(await eventsDuring([run, { ...run, request: 2, isAdmin: true }])).toEqual([0, []])
})
