import { act, createElement, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { dismissBulkRun, retryBulk, startBulk, stopBulk, useBulkRun, type BulkRun, type RowWork } from './bulk-run.ts'

let run: BulkRun | null = null
function Watch() {
  const present = useBulkRun()
  useEffect(() => {
    run = present
  }, [present])
  return null
}

/** Pending calls, which the test resolves. */
let open: { name: string; end: (job: string | null) => void; fail: (error: Error) => void }[] = []
const work: RowWork = ({ name }) =>
  new Promise((resolve, reject) => open.push({ name, end: (job) => resolve({ job }), fail: reject }))
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `s${at}`, title: `site ${at}` }))
const start = (count: number) =>
  startBulk({ doctype: 'Site', label: 'Archive', noun: 'sites', rows: rows(count) }, work)
const states = () => run?.rows.map((row) => row.state)
const end = (name: string, job: string | null = null) =>
  act(async () => open.find((one) => one.name === name)?.end(job))
const fail = (name: string, error: Error) => act(async () => open.findLast((one) => one.name === name)?.fail(error))

let root: Root
beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  open = []
  root = createRoot(document.createElement('div'))
  await act(async () => root.render(createElement(Watch)))
})
afterEach(async () => {
  await act(async () => {
    stopBulk()
    for (const one of open) one.end(null)
  })
  await act(async () => dismissBulkRun())
  await act(async () => root.unmount())
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('runs four rows at once and starts the next as one ends', async () => {
  await act(async () => void start(6))
  expect(states()).toEqual(['running', 'running', 'running', 'running', 'waiting', 'waiting'])
  await end('s1', 'job1')
  expect(states()).toEqual(['running', 'started', 'running', 'running', 'running', 'waiting'])
  expect(run?.rows[1]?.job).toBe('job1')
  await end('s0')
  expect(states()?.[0]).toBe('done')
  expect(open.map((one) => one.name)).toEqual(['s0', 's1', 's2', 's3', 's4', 's5'])
})

it('keeps the reason of a failure and can retry that row', async () => {
  await act(async () => void start(2))
  await fail('s0', new ApiError('The site is busy.', { httpStatus: 417, nextAction: 'Wait for its job.' }))
  expect(run?.rows[0]).toMatchObject({ state: 'failed', reason: 'The site is busy. Wait for its job.' })
  await act(async () => retryBulk('s0'))
  expect(run?.rows[0]).toMatchObject({ state: 'running', reason: null })
  await act(async () => open.at(-1)?.end(null))
  expect(states()).toEqual(['done', 'running'])
})

it('starts no further rows once it is stopped, and can resume the rest', async () => {
  await act(async () => void start(6))
  await act(async () => stopBulk())
  expect(states()?.slice(4)).toEqual(['stopped', 'stopped'])
  await end('s0')
  expect(open).toHaveLength(4)
  await act(async () => retryBulk())
  expect(states()?.slice(4)).toEqual(['running', 'waiting'])
})

it('waits as long as the server requires if there are too many requests', async () => {
  vi.useFakeTimers()
  await act(async () => void start(1))
  await fail('s0', new ApiError('Too many requests.', { httpStatus: 429, retryAfter: 3 }))
  expect(states()).toEqual(['running'])
  expect(open).toHaveLength(1)
  await act(async () => vi.advanceTimersByTimeAsync(3000))
  expect(open).toHaveLength(2)
  await act(async () => open[1]?.end(null))
  expect(states()).toEqual(['done'])
})

it('only one runs at a time, and it can be closed only after it ended', async () => {
  await act(async () => void start(1))
  expect(start(1)).toBe(false)
  await act(async () => dismissBulkRun())
  expect(run).not.toBeNull()
  await end('s0')
  await act(async () => dismissBulkRun())
  expect(run).toBeNull()
})
