import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '#shared/errors.ts'
import type { Session } from '#server/contracts/session.ts'
import type { UploadStore } from '#server/contracts/resumable-upload.ts'
import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import { personOf, subjectOf, type Case } from './cases.ts'
import { expectedOf, inScope, isGuest } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { everybody, profileOf, type Person, type PersonKey } from './people.ts'
import { sessionOf } from './store-entry-points.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import type { TestContext } from './test-context.ts'

const content = 'suite'
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Response to a request of the upload protocol. */
interface UploadResponse {
  readonly status: number
  readonly location: string
  readonly offset: string | null
}

/** Sends a request of the protocol as a person. */
async function ask(
  context: TestContext,
  person: Pick<Person, 'headers'>,
  verb: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<UploadResponse> {
  const response = await fetch(new URL(path, context.product.url), {
    method: verb,
    headers: { ...person.headers, accept: 'application/json', 'tus-resumable': '1.0.0', ...headers },
    ...(verb === 'PATCH' ? { body: content } : {}),
  })
  await response.arrayBuffer()
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    offset: response.headers.get('upload-offset'),
  }
}

/** Starts an upload. */
export function startUpload(
  context: TestContext,
  person: Pick<Person, 'headers'>,
  attributes: { readonly kind: 'package' | 'picture'; readonly site?: string },
): Promise<UploadResponse> {
  const metadata = Object.entries({ filename: 'suite.txt', ...attributes })
  return ask(context, person, 'POST', '/api/uploads', {
    'upload-length': String(content.length),
    'upload-metadata': metadata.map(([name, value]) => `${name} ${base64(value)}`).join(','),
  })
}

/** Sends the whole content. */
const sendContent = (context: TestContext, person: Person, location: string) =>
  ask(context, person, 'PATCH', location, { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' })

/** Ends an upload that a case started: an account may have only some. */
const endUpload = (context: TestContext, key: PersonKey, { location }: UploadResponse) =>
  location === '' ? Promise.resolve() : ask(context, personOf(context, key), 'DELETE', location)

/** Resumable uploads: who may start which, that they are nobody else's, and that rights count at the end as well. */
export function uploadCases(matrix: Matrix): Case[] {
  const own = subjectPlans.filter(({ doctype, key }) => doctype === 'Site' && ['own', 'read', 'foreign'].includes(key))
  return [
    ...everybody.flatMap((key) => [
      starting(key, 'picture', deniedStatus(key) ?? (profileOf(key).token ? 403 : 201)),
      ...own.map((plan) => starting(key, 'package', deniedStatus(key) ?? packageStatus(matrix, key, plan), plan)),
    ]),
    ...everybody.filter((key) => profileOf(key).email !== profileOf('owner').email).map(foreignUploadCase),
    ...elsewhere,
    ...(['owner', 'admin', 'member'] as const).map((key) => removedSiteCase(key)),
  ]
}

/** The status for callers who may upload nothing at all; null for others. */
function deniedStatus(key: PersonKey): number | null {
  return isGuest(key) ? 401 : profileOf(key).unverified ? 403 : null
}

function packageStatus(matrix: Matrix, key: PersonKey, plan: SubjectPlan): number {
  if (!inScope(matrix, key, 'Site', 'W')) return 403
  const expected = expectedOf(matrix, key, plan, 'R')
  return expected === 'allowed' ? 201 : expected === 'missing' ? 404 : 403
}

function starting(key: PersonKey, kind: 'package' | 'picture', expected: number, plan?: SubjectPlan): Case {
  return {
    title: `${key} starts an upload of a ${kind}${plan ? ` for Site/${plan.key}` : ''}: ${expected}`,
    doctype: '',
    kind: 'upload',
    async run(context) {
      const site = plan ? { site: subjectOf(context, plan).name } : {}
      const response = await startUpload(context, personOf(context, key), { kind, ...site })
      await endUpload(context, key, response)
      return response.status === expected ? null : String(response.status)
    },
  }
}

/** Looks at, continues and ends an upload of the owner. */
function foreignUploadCase(key: PersonKey): Case {
  return {
    title: `${key} finds no upload of the owner`,
    doctype: '',
    kind: 'upload',
    async run(context) {
      const [owner, person] = [personOf(context, 'owner'), personOf(context, key)]
      const started = await startUpload(context, owner, { kind: 'picture' })
      try {
        const responses = [
          await ask(context, person, 'HEAD', started.location),
          await sendContent(context, person, started.location),
          await ask(context, person, 'DELETE', started.location),
        ]
        const expected = deniedStatus(key) ?? 404
        const after = await ask(context, owner, 'HEAD', started.location)
        const isKept = after.status === 200 && after.offset === '0'
        return isKept && responses.every(({ status }) => status === expected)
          ? null
          : [...responses, after].map(({ status }) => status).join(' ')
      } finally {
        await endUpload(context, 'owner', started)
      }
    },
  }
}

/** The methods of the store, for one upload. */
const methods: readonly (readonly [string, (store: UploadStore, session: Session, id: string) => Promise<unknown>])[] =
  [
    ['get', (store, session, id) => store.get(session, id)],
    ['append', (store, session, id) => store.append(session, id, 0, Readable.from([Buffer.from(content)]))],
    ['finish', (store, session, id) => store.finish(session, id)],
    ['remove', (store, session, id) => store.remove(session, id)],
  ]

/** Other accounts, and the owner in another organization, directly in the store. */
const elsewhere: readonly Case[] = [['stranger', {}] as const, ['owner', { organization: 'globex' }] as const].flatMap(
  ([key, changes]) =>
    methods.map(([name, call]): Case => ({
      title: `${key} elsewhere finds no upload of the owner through the store: ${name}`,
      doctype: '',
      kind: 'upload',
      async run(context) {
        const { store } = context.product.services.uploads
        const owner = await sessionOf(context, personOf(context, 'owner'))
        const id = randomBytes(16).toString('hex')
        await store.create(owner, { id, kind: 'picture', fileName: 'suite.txt', size: content.length, metadata: {} })
        try {
          const session = { ...(await sessionOf(context, personOf(context, key))), ...changes }
          const outcome = await call(store, session, id).then(() => 'passed', codeOf)
          return outcome === 'not_found' ? null : outcome
        } finally {
          await store.remove(owner, id).catch(codeOf)
        }
      },
    })),
)

/** The code of a refusal. */
export function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : String(error)
}

/** The site disappears between the first part of an upload and the last. */
function removedSiteCase(key: PersonKey): Case {
  return {
    title: `${key} ends an upload for a site that is no longer there: 404`,
    doctype: '',
    kind: 'upload',
    async run(context) {
      const plan = subjectPlans.find((one) => one.doctype === 'Site' && one.key === 'own')
      const site = plan ? await context.fresh(plan) : ''
      const started = await startUpload(context, personOf(context, key), { kind: 'package', site })
      await sql`delete from ${tableRef('Site')} where name = ${site}`.execute(context.product.database.db)
      const { status } = await sendContent(context, personOf(context, key), started.location)
      await endUpload(context, key, started)
      return started.status === 201 && status === 404 ? null : `${started.status} ${status}`
    },
  }
}
