import { useSyncExternalStore } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

/** State of a row in a bulk run. `started`: its job continues. */
export type RowState = 'waiting' | 'running' | 'started' | 'done' | 'failed' | 'stopped'

/** One row of a run. */
export interface BulkRow {
  readonly name: string
  readonly title: string
  /** What tells it from others of its title: an address. */
  readonly detail?: string | null
  readonly state: RowState
  /** Why it failed. */
  readonly reason: string | null
  /** The job it started. */
  readonly job: string | null
}

/** A bulk run. It is stored outside the screens, so that it continues while the user navigates. */
export interface BulkRun {
  readonly id: number
  readonly doctype: string
  /** Label of the action. */
  readonly label: string
  /** Noun for the rows, e.g. "sites". */
  readonly noun: string
  readonly rows: readonly BulkRow[]
  /** The action that undoes it, if any, and its label. */
  readonly undo?: { readonly action: string; readonly label: string }
}

/** Processes one row; returns the name of the job it started. */
export type RowWork = (row: { name: string; title: string }) => Promise<{ job: string | null }>

/** Rows processed in parallel. A user has 600 requests a minute, and the screen needs some of them. */
const atOnce = 4
/** Delay after "too many requests" without a Retry-After. */
const pauseSeconds = 5

let run: BulkRun | null = null
let work: RowWork | null = null
let active = 0
let lastId = 0
const listeners = new Set<() => void>()

function set(next: BulkRun | null): void {
  run = next
  for (const listener of listeners) listener()
}

function change(name: string, part: Partial<BulkRow>): void {
  if (!run) return
  set({ ...run, rows: run.rows.map((row) => (row.name === name ? { ...row, ...part } : row)) })
}

/** Whether any row is still waiting or being processed here (jobs continue on the server). */
export function isRunning(current: BulkRun | null): boolean {
  return current !== null && current.rows.some((row) => row.state === 'waiting' || row.state === 'running')
}

/** Extracts the started job from an action's response. */
export function startedJob(result: Record<string, unknown> | null): { job: string | null } {
  const job = result?.['job']
  return { job: typeof job === 'string' ? job : null }
}

/** Starts a run and replaces a finished one. False while another run is in progress. */
export function startBulk(
  input: Pick<BulkRun, 'doctype' | 'label' | 'noun' | 'undo'> & {
    rows: readonly Pick<BulkRow, 'name' | 'title' | 'detail'>[]
  },
  each: RowWork,
): boolean {
  if (isRunning(run)) return false
  lastId += 1
  work = each
  set({
    ...input,
    id: lastId,
    rows: input.rows.map(({ name, title, detail = null }) => ({
      ...{ name, title, detail },
      ...{ state: 'waiting', reason: null, job: null },
    })),
  })
  pump()
  return true
}

/** Retries all failed rows, or the named one. */
export function retryBulk(name?: string): void {
  if (!run) return
  const isMeant = (row: BulkRow) =>
    name === undefined ? row.state === 'failed' || row.state === 'stopped' : row.name === name
  set({
    ...run,
    rows: run.rows.map((row) => (isMeant(row) ? { ...row, state: 'waiting', reason: null, job: null } : row)),
  })
  pump()
}

/** Starts no further rows; running ones complete. */
export function stopBulk(): void {
  if (!run) return
  set({ ...run, rows: run.rows.map((row) => (row.state === 'waiting' ? { ...row, state: 'stopped' } : row)) })
}

/** Removes a finished run from the screen. */
export function dismissBulkRun(): void {
  if (!isRunning(run)) set(null)
}

function pump(): void {
  while (active < atOnce) {
    const next = run?.rows.find((row) => row.state === 'waiting')
    if (!next || !run || !work) return
    active += 1
    change(next.name, { state: 'running' })
    void runRow(run.id, work, next).finally(() => {
      active -= 1
      pump()
    })
  }
}

async function runRow(id: number, each: RowWork, row: BulkRow): Promise<void> {
  const report = (part: Partial<BulkRow>) => {
    if (run?.id === id) change(row.name, part)
  }
  for (;;) {
    try {
      const { job } = await each({ name: row.name, title: row.title })
      return report({ state: job === null ? 'done' : 'started', job })
    } catch (caught) {
      const error = toApiError(caught)
      if (error.httpStatus !== 429) return report({ state: 'failed', reason: fullMessage(error) })
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? pauseSeconds) * 1000))
    }
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The current run; null if there is none. */
export function useBulkRun(): BulkRun | null {
  return useSyncExternalStore(subscribe, () => run)
}
