/** Jobs, document store and database set up like in the composition root, for tests of jobs and of features with jobs. */
import { schemaVersion } from '#server/tables.ts'
import { siteTables } from '#server/features/sites/site-tables.ts'
import { createDocuments, documentTables } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { DocOf, DoctypeRef, Tx } from '#server/contracts/transaction.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { Session } from '#server/contracts/session.ts'
import { createJobs, type OpenJobs } from '#server/jobs/jobs.ts'
import type { JobLimits } from '#server/jobs/queue.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { JobDefinition, Jobs } from '#server/contracts/job.ts'
import { systemClock, type Clock } from '#server/jobs/clock.ts'
import { jobTables } from '#server/jobs/tables.ts'
import type { Database } from '#server/platform/database/database.ts'
import { silentLog, type Log } from '#server/platform/log/log.ts'
import { runMigrations } from '#server/platform/database/migrations.ts'
import type { Doctype } from '#shared/doctype.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { sessionOf } from './documents.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'

/** The longest pause between two attempts at a step. */
const longestPauseMs = 8000

/** Real time with pauses a tenth as long. Deadlines and leases stay, so that none ends early on a busy machine. */
export const shortPauses: Clock = {
  ...systemClock,
  setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms < 5000 || ms === longestPauseMs ? ms / 10 : ms),
}

/** Real time, of which a test can let any amount pass at once: pauses, leases and deadlines that are over by then end. */
export interface TestClock extends Clock {
  pass(ms: number): void
}

/** Creates one, for all processes of a test: they compare times of one another. With `stands`, timers start at `pass`. */
export function testClock({ stands = false } = {}): TestClock {
  let passed = 0
  const now = () => Date.now() + passed
  const timers = new Map<object, () => void>()
  return {
    now,
    setTimeout(fn, ms) {
      const at = now() + ms
      const timer = {}
      const start = () => void setTimeout(() => timers.delete(timer) && fn(), Math.max(0, at - now())).unref()
      timers.set(timer, start)
      if (!stands) start()
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as object),
    pass(ms) {
      stands = false
      passed += ms
      for (const start of timers.values()) start()
    },
  }
}

/** One process: a worker with its own document store, on a database that several processes can share. */
export interface TestProcess {
  documents: OpenDocuments
  jobs: OpenJobs
  /** Stops the jobs (running ones are returned to the queue) and the store; the database stays open. */
  stop(graceMs?: number): Promise<void>
}

/** Options of a process; features receive the jobs created with them. */
export interface TestProcessOptions {
  definitions?: readonly JobDefinition[]
  controllers?: readonly Controller[]
  /** Called before the store is created, like in the composition root; `documents` works once it exists. */
  features?(parts: { jobs: Jobs; documents: () => OpenDocuments; database: Database }): Feature
  doctypes?: readonly Doctype[]
  clock?: Clock
  log?: Log
  hosts?: readonly string[]
  concurrency?: number
  limits?: Partial<JobLimits>
  /** Default true; with false, the test starts the jobs. */
  start?: boolean
}

/** Creates the tables and one process. */
export async function startTestProcess(database: Database, options: TestProcessOptions = {}): Promise<TestProcess> {
  const log = options.log ?? silentLog
  const types = options.doctypes ?? doctypes
  let documents: OpenDocuments | null = null
  const store = () => {
    if (!documents) throw new Error('The store is not open yet')
    return documents
  }
  let jobs: OpenJobs | null = null
  const late: Jobs = {
    enqueue: (tx, request) => (jobs as OpenJobs).enqueue(tx, request),
    startOver: (tx, job, args) => (jobs as OpenJobs).startOver(tx, job, args),
    wake: (tx, event) => (jobs as OpenJobs).wake(tx, event),
  }
  const features = options.features?.({ jobs: late, documents: store, database }) ?? {}
  jobs = createJobs({
    database,
    documents: store,
    log,
    definitions: [...(options.definitions ?? []), ...(features.jobs ?? [])],
    schedules: features.schedules ?? [],
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.hosts ? { hosts: options.hosts } : {}),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.limits ? { limits: options.limits } : {}),
  })
  const open = jobs
  await runMigrations(database, {
    schemaVersion,
    additive: async (trx) => {
      await documentTables(trx as never, types)
      await jobTables(trx as never)
      await siteTables(trx as never)
    },
  })
  const given = [...open.controllers, ...(options.controllers ?? []), ...(features.controllers ?? [])]
  const opened = await createDocuments({
    database,
    log,
    doctypes: types,
    controllers: [...given, ...idle(types, given)],
    secrets: {
      seal: async (_scope, _aad, text) => `sealed:${text}`,
      open: async (_scope, _aad, sealed) => sealed.slice('sealed:'.length),
    },
    mask: (value) => value,
  })
  documents = open.takingTurns(opened)
  if (features.on) documents.onEvent(features.on)
  await features.start?.()
  if (options.start !== false) await open.start()
  return {
    documents,
    jobs: open,
    async stop(graceMs = 3000) {
      await features.stop?.()
      await open.stop(graceMs)
      await documents?.close()
    },
  }
}

/** No-op handlers for actions of features that aren't part of the test. */
function idle(types: readonly Doctype[], given: readonly Controller[]): Controller[] {
  const handled = new Set(
    given.flatMap((one) => Object.keys(one.actions ?? {}).map((action) => `${one.doctype}.${action}`)),
  )
  return types.map((type) => ({
    doctype: type.name,
    actions: Object.fromEntries(
      Object.keys(type.actions ?? {})
        .filter((action) => !handled.has(`${type.name}.${action}`))
        .map((action) => [action, () => Promise.resolve({ ran: action })]),
    ),
  }))
}

/** Creates an organization owned by `owner@SLUG.example`; returns the owner's session. */
export async function makeOrganization(
  documents: OpenDocuments,
  slug: string,
  values: Record<string, unknown> = {},
): Promise<Session> {
  const user = `owner@${slug}.example`
  await documents.transaction(systemSession(), async (tx) => {
    await tx.insert(UserDoctype, {
      email: user,
      first_name: slug,
      full_name: `Owner of ${slug}`,
      enabled: 1,
      email_verified: 1,
      roles: ['Easydash User'],
    })
    await tx.insert(OrganizationDoctype, { slug, title: slug, _owner: user, ...values })
    await tx.insert(OrganizationMemberDoctype, {
      parent: slug,
      parentfield: 'members',
      parenttype: 'Organization',
      user,
      organization_role: 'Organization Admin',
    })
  })
  return sessionOf(user, slug)
}

/** Adds a person to an organization, in the caller's transaction. */
export async function addMember(
  tx: Tx,
  organization: string,
  {
    email,
    name,
    role,
  }: {
    readonly email: string
    readonly name: string
    readonly role: NonNullable<OrganizationMember['organization_role']>
  },
): Promise<void> {
  await tx.insert(UserDoctype, {
    email,
    first_name: name,
    full_name: name,
    enabled: 1,
    email_verified: 1,
    roles: ['Easydash User'],
  })
  await tx.insert(OrganizationMemberDoctype, {
    parent: organization,
    parentfield: 'members',
    parenttype: 'Organization',
    user: email,
    organization_role: role,
  })
}

/** The current stored Job; null if there is none. */
export function jobNow(documents: OpenDocuments, name: string): Promise<Job | null> {
  return documents.transaction(systemSession(), (tx) => tx.get(JobDoctype, name))
}

/** Retries a read whose connection was killed, which tests do on purpose. */
async function readThrough<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const { code = '', message = '' } = error as { code?: string; message?: string }
      if (!/^(?:57P0|08|EPIPE|ECONNRESET)/.test(code) && !/connection/i.test(message)) throw error
    }
  }
}

/**
 * Resolves with the document once it meets the condition. Checks again on each of its events, and now and then without one:
 * a condition may be about more than the document.
 */
export function until<D extends DoctypeRef>(
  documents: OpenDocuments,
  doctype: D,
  name: string,
  met: (doc: DocOf<D> | null) => boolean,
): Promise<DocOf<D> | null> {
  return new Promise((resolve, reject) => {
    let busy = false
    let again = false
    const look = async () => {
      again = busy
      if (busy) return
      busy = true
      const doc = await readThrough(() => documents.transaction(systemSession(), (tx) => tx.get(doctype, name)))
      busy = false
      if (met(doc)) {
        stop()
        resolve(doc)
      } else if (again) await look()
    }
    const checkAgain = () => {
      look().catch((error: unknown) => {
        stop()
        reject(error)
      })
    }
    const unsubscribe = documents.onEvent((event) => {
      if (event.doctype === (typeof doctype === 'string' ? doctype : doctype.name) && event.name === name) checkAgain()
    })
    const timer = setInterval(checkAgain, 200)
    const stop = () => {
      unsubscribe()
      clearInterval(timer)
    }
    checkAgain()
  })
}

/** Resolves with the Job once it ended in one of the states (default: any final state). */
export async function untilEnded(
  documents: OpenDocuments,
  name: string,
  states: readonly string[] = ['Done', 'Failed', 'Cancelled'],
): Promise<Job> {
  return (await until(documents, JobDoctype, name, (job) => job !== null && states.includes(job.status ?? ''))) as Job
}
