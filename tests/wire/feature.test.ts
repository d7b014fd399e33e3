/** A feature is listed once; everything it declares works without an edit elsewhere. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { controller } from '#server/contracts/controller.ts'
import type { Feature } from '#server/contracts/feature.ts'
import { defineMethod } from '#server/contracts/method.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import { metricsText } from '#server/metrics.ts'
import { silentLog, type Log } from '#server/platform/log/log.ts'
import { openServices, type Services } from '#server/services.ts'
import type { Wire } from '#server/wire/options.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { data } from '#shared/fields.ts'
import { makeInstallation, type Installation } from '../support/installation.ts'
import { untilEnded } from '../support/jobs.ts'
import { wireOf } from '../support/wire.ts'

/** A promise to be resolved from outside. */
function signal(): { reached: Promise<void>; reach: () => void } {
  let reach: () => void = () => undefined
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  return { reached, reach }
}

const scheduled = signal()
const swept = signal()
const handled = signal()
const life: string[] = []

const parrot: Feature = {
  controllers: [
    controller(OrganizationDoctype, {
      async before_insert(doc) {
        doc.title = `${doc.title} & parrot`
      },
    }),
  ],
  methods: [
    defineMethod({
      name: 'easydash.api.parrot.say',
      access: 'guest',
      verbs: ['GET'],
      description: 'Repeats a word.',
      params: { word: data({ reqd: true }) },
      returns: z.string(),
      run: ({ word }) => Promise.resolve(`${word}!`),
    }),
  ],
  routes: [
    {
      verb: 'POST',
      path: '/hooks/parrot',
      bodyLimit: 100,
      rateLimit: { limit: 10, seconds: 60 },
      run: ({ body }) => Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, body }),
    },
  ],
  jobs: [
    {
      type: 'parrot.teach',
      label: () => 'Teach the parrot',
      deadlineSeconds: 60,
      cancel: { possible: true },
      steps: async () => [{ key: 'teach', label: 'Teach', run: async () => void life.push('taught') }],
    },
  ],
  schedules: [{ name: 'parrot.feed', everySeconds: 3600, run: async () => scheduled.reach() }],
  sweeps: [
    {
      name: 'parrot.clean_cage',
      everySeconds: 3600,
      run: async () => 3,
    },
  ],
  metrics: [{ name: 'easydash_parrot_words', kind: 'gauge', help: 'Words it knows.', value: async () => 7 }],
  on({ doctype, name }) {
    if (doctype === 'Organization' && name === 'zoo') handled.reach()
  },
  prepare: async () => void life.push('prepared'),
  start: () => void life.push('started'),
  stop: async () => void life.push('stopped'),
}

let installation: Installation
let services: Services
let wire: Wire
let pagesDir: string
const logged: unknown[] = []
const log: Log = {
  ...silentLog,
  info(_message, fields) {
    logged.push(fields)
    if (JSON.stringify(fields ?? {}).includes('parrot.clean_cage')) swept.reach()
  },
}

const open = (further: readonly Feature[]) =>
  openServices({
    config: installation.config,
    database: installation.database,
    log,
    engines: { fake: createFakeEngine({ folder: join(installation.dataDir, 'fake') }) },
    print: () => undefined,
    further,
  })

beforeAll(async () => {
  installation = await makeInstallation({ EASYDASH_SECRET_KEYS: `v1:${Buffer.alloc(32, 1).toString('base64')}` })
  pagesDir = await mkdtemp(join(tmpdir(), 'pages-'))
  // Migrates the database.
  await installation.withServices(async () => undefined)
  services = await open([parrot])
  wire = await wireOf(services, {
    config: installation.config,
    log,
    pagesDir,
    rawRoutes: services.parts.routes,
    metrics: () => metricsText(services.parts.metrics, log),
  })
  expect(life).toEqual(['prepared'])
  await services.start()
})
afterAll(async () => {
  await wire?.close()
  await services?.close()
  await installation?.end()
  await rm(pagesDir, { recursive: true, force: true })
})

it('methods, raw routes and metrics answer', async () => {
  const response = await wire.fastify.inject('/api/method/easydash.api.parrot.say?word=hello')
  expect(response.json()).toEqual({ message: 'hello!' })
  const echoed = await wire.fastify.inject({ method: 'POST', url: '/hooks/parrot', body: 'squawk' })
  expect([echoed.statusCode, echoed.body]).toEqual([200, 'squawk'])
  expect((await wire.fastify.inject('/metrics')).body).toContain('\neasydash_parrot_words 7\n')
})

it('schedules and sweeps run; what a sweep deleted is logged', async () => {
  await scheduled.reached
  await swept.reached
  expect(logged).toContainEqual({ work: 'parrot.clean_cage', deleted: 3 })
})

it('hooks, listeners and jobs work', async () => {
  const job = await services.documents.transaction(systemSession(), async (tx) => {
    await tx.insert(UserDoctype, { email: 'ann@zoo.example', first_name: 'Ann', enabled: 1, email_verified: 1 })
    const zoo = await tx.insert(OrganizationDoctype, { slug: 'zoo', title: 'Zoo', _owner: 'ann@zoo.example' })
    expect(zoo.title).toBe('Zoo & parrot')
    return services.jobs.enqueue(tx, {
      type: 'parrot.teach',
      organization: 'zoo',
      reference_doctype: 'Organization',
      reference_name: 'zoo',
      reference_title: 'Zoo',
    })
  })
  await handled.reached
  expect(await untilEnded(services.documents, job)).toMatchObject({ status: 'Done' })
  expect(life).toEqual(['prepared', 'started', 'taught'])
})

it('stops with the program', async () => {
  await services.stop()
  expect(life.at(-1)).toBe('stopped')
})

it.each<[string, Feature]>([
  ['The job type parrot.teach', { jobs: parrot.jobs ?? [] }],
  ['The scheduled work parrot.feed', { sweeps: [{ name: 'parrot.feed', everySeconds: 1, run: async () => 0 }] }],
  ['The metric easydash_parrot_words', { metrics: parrot.metrics ?? [] }],
])('%s may not be declared twice', async (what, other) => {
  await expect(open([parrot, other])).rejects.toThrow(`${what} is declared twice`)
})

it('tables that no migration creates stop the start', async () => {
  const parrotTables = async () => undefined
  await expect(open([{ tables: parrotTables }])).rejects.toThrow(
    'server/tables.ts does not list the tables of a feature: parrotTables.',
  )
})
