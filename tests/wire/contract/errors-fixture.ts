/** Fixture of the error tests: a product with a method that raises any requested error. */
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import type { Method } from '#server/contracts/method.ts'
import { msg } from '#shared/localized-message.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ask } from '../raw.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

/** Throws the requested error, for exceptions that cannot be triggered otherwise. */
const raise: Method = {
  name: 'test.raise',
  access: 'guest',
  verbs: ['GET', 'POST'],
  description: 'For tests.',
  params: { code: data(), type: data() },
  run({ code, type }) {
    if (code === undefined) throw new Error('select secret from tab_user at /srv/easydash/server/x.ts')
    throw new AppError(code as ErrorCode, msg`What went wrong.`, {
      ...(type === undefined ? {} : { excType: String(type) }),
      ...(code === 'rate_limited' ? { retryAfterSeconds: 7 } : {}),
    })
  },
}

/** The running product with its users and a production server of acme. */
export interface ErrorsFixture {
  booted: Booted
  owner: Browser
  manager: Browser
  server: string
}

/** Boots it with two organizations, acme and globex; each user may make 150 calls. */
export async function bootErrorsFixture(): Promise<ErrorsFixture> {
  const booted = await boot({
    methods: [raise],
    env: { EASYDASH_RATE_LIMITS: JSON.stringify({ api_user: { limit: 150, seconds: 600 } }) },
  })
  await booted.organization('acme', { 'manager@acme.example': 'Organization Manager' })
  await booted.organization('globex')
  const { name } = await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test', server_category: 'production' }),
  )
  return {
    booted,
    owner: await booted.signedIn('owner@acme.example'),
    manager: await booted.signedIn('manager@acme.example'),
    server: name,
  }
}

/** JSON of a response. */
export type Body = Record<string, unknown>

/** Calls the method; without a code it fails with an internal error. */
export async function raised(booted: Booted, params: Record<string, string>) {
  const response = await ask(booted.port, {
    path: `/api/method/test.raise?${new URLSearchParams(params).toString()}`,
    headers: { accept: 'application/json' },
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(response.body) as Body }
}

/** The first message shown to users. */
export const firstMessage = (body: Body) =>
  JSON.parse((JSON.parse(String(body['_server_messages'])) as string[])[0] ?? '') as Body
