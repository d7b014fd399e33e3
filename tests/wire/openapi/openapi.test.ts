import * as z from 'zod/mini'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { acceptedVerbs } from '#server/wire/methods/method-registry.ts'
import {
  createApiValidator,
  type ApiDocument,
  type ApiExchange,
  type ApiValidator,
} from '#tests/support/api-validator.ts'
import { boot, type Booted } from '../booted.ts'
import { ask } from '../raw.ts'

let booted: Booted
let text: string
let document: ApiDocument & {
  openapi: string
  servers: { url: string }[]
  components: { schemas: Record<string, { properties?: Record<string, Record<string, unknown>> }> }
}
beforeAll(async () => {
  booted = await boot()
  text = (await ask(booted.port, { path: '/api/openapi.json' })).body
  document = JSON.parse(text) as typeof document
})
afterAll(() => booted.close())

describe('/api/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(text) as Parameters<Validator['validate']>[0])
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.servers[0]?.url).toBe(booted.url)
  })

  it('resolves every reference in it', () => {
    const missing = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)]
      .map(([, path = '']) => path)
      .filter(
        (path) =>
          path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document) === undefined,
      )
    expect(missing).toEqual([])
  })

  it('holds every method with its verbs and access', () => {
    const { wire } = booted
    expect(wire.methods.length).toBeGreaterThan(40)
    for (const method of wire.methods) {
      const path = document.paths[`/api/method/${method.name}`]
      expect([method.name, Object.keys(path ?? {})]).toEqual([
        method.name,
        acceptedVerbs(method).map((verb) => verb.toLowerCase()),
      ])
      for (const operation of Object.values(path ?? {})) {
        const isOpen = operation.security.some((one) => Object.keys(one).length === 0)
        expect([method.name, isOpen]).toEqual([method.name, method.access === 'guest'])
        for (const status of ['200', '401', '403', '417', '429', '500', '503'])
          expect(operation.responses).toHaveProperty(status)
      }
    }
  })

  it('says of every method what it takes and answers', () => {
    const silent = booted.wire.methods.filter(({ returns }) => returns === undefined).map(({ name }) => name)
    expect(silent).toEqual([])
    const raw = booted.wire.methods.filter((method) => 'rawParams' in method && !('documented' in method))
    expect(raw.map(({ name }) => name)).toEqual(['easydash.api.session.boot'])
  })

  it('holds every doctype with its fields, and nothing of what is hidden', () => {
    for (const type of doctypes) {
      const name = type.name.replaceAll(' ', '')
      const path = `/api/resource/${encodeURIComponent(type.name)}`
      expect(Object.keys(document.paths[path] ?? {})).toEqual(['get', 'post'])
      expect(Object.keys(document.paths[`${path}/{name}`] ?? {})).toEqual(
        expect.arrayContaining(['get', 'put', 'delete']),
      )
      const shown = document.components.schemas[name]?.properties ?? {}
      const given = document.components.schemas[`${name}New`]?.properties ?? {}
      for (const [key, field] of Object.entries(type.fields)) {
        expect([type.name, key, Object.hasOwn(shown, key)]).toEqual([type.name, key, field.hidden !== true])
        // Personal fields do not count as server-owned.
        const isServers = field.server_owned === true && field.write_roles === undefined && field.personal !== true
        const isOurs = field.hidden === true || field.read_only === true || isServers
        expect([type.name, key, Object.hasOwn(given, key)]).toEqual([type.name, key, !isOurs])
        if (!field.hidden && !isOurs && field.secret) expect(given[key]?.['writeOnly']).toBe(true)
        if (!field.hidden && isOurs) expect(shown[key]?.['readOnly']).toBe(true)
      }
    }
  })

  it('says how large the JSON of a field or parameter may be', () => {
    const views = document.components.schemas['SavedViewNew']?.properties ?? {}
    expect(views['filters']).toMatchObject({ 'x-max-bytes': 16_384 })
    expect(views['filters']?.description).toContain('at most 16 KB as JSON')
    for (const type of doctypes) {
      const given = document.components.schemas[`${type.name.replaceAll(' ', '')}New`]?.properties ?? {}
      for (const [key, field] of Object.entries(type.fields))
        if (field.fieldtype === 'JSON' && Object.hasOwn(given, key))
          expect([key, given[key]?.['x-max-bytes']]).toEqual([key, field.max_bytes])
    }
    const exported = JSON.stringify(document.paths['/api/method/easydash.api.activity.export'])
    expect(exported).toContain('"x-max-bytes":262144')
    expect(exported).toContain('at most 256 KB as JSON')
  })

  it('is the same for everybody, and is not sent again', async () => {
    await booted.organization('acme')
    const owner = await booted.signedIn('owner@acme.example')
    const response = await owner.fetch('/api/openapi.json')
    expect(await response.text()).toBe(text)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const etag = response.headers.get('etag') ?? ''
    expect((await ask(booted.port, { path: '/api/openapi.json', headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await ask(booted.port, { path: '/api/openapi.json', method: 'HEAD' })).body).toBe('')
  })
})

describe('the check of requests and answers', () => {
  it('stands before the wire in every test', async () => {
    const nonConforming = await boot({
      methods: [
        {
          name: 'test.lie',
          access: 'guest',
          verbs: ['GET'],
          description: 'For tests.',
          returns: z.literal('promised'),
          run: () => Promise.resolve('given'),
        },
      ],
    })
    expect((await ask(nonConforming.port, { path: '/api/method/test.lie' })).body).toBe('{"message":"given"}')
    await expect(nonConforming.close()).rejects.toThrow(
      '/api/method/test.lie (200): answer 200: /message must be equal',
    )
  })

  const exchange = (change: Partial<ApiExchange>): ApiExchange => ({
    verb: 'GET',
    target: '/api/method/ping',
    headers: {},
    body: Buffer.from(''),
    status: 200,
    responseHeaders: { 'content-type': 'application/json; charset=utf-8' },
    response: Buffer.from('{"message":"pong"}'),
    ...change,
  })
  let validator: ApiValidator
  beforeAll(() => {
    validator = createApiValidator(document)
  })
  const problems = (change: Partial<ApiExchange>) => validator.problems(exchange(change))
  const error = (status: number, excType: string) => ({
    status,
    response: Buffer.from(JSON.stringify({ exc_type: excType, exception: 'x', code: 'invalid' })),
  })

  it('lets pass what is documented', () => {
    expect(problems({})).toEqual([])
    expect(problems({ target: '/api/v1/method/ping/?x=1' })).toEqual([])
    expect(problems({ target: '/api/method/get_logged_user', ...error(403, 'PermissionError') })).toEqual([])
    expect(problems({ target: '/api/nothing', ...error(404, 'PageDoesNotExistError') })).toEqual([])
    expect(problems({ target: '/web', responseHeaders: { 'content-type': 'text/html' } })).toEqual([])
  })

  it.each([
    ['an unknown address', { target: '/api/method/nothing.like.it' }],
    ['an unknown verb', { target: '/api/method/login' }],
    ['an unknown status', { status: 418 }],
    ['another result', { response: Buffer.from('{"message":"pang"}') }],
    ['a further key', { response: Buffer.from('{"message":"pong","more":1}') }],
    ['no JSON', { response: Buffer.from('pong') }],
    ['another content type', { responseHeaders: { 'content-type': 'text/plain' } }],
    ['an error of another shape', { status: 417, response: Buffer.from('{"error":"x"}') }],
    ['an error class under a foreign status', error(404, 'CSRFTokenError')],
    [
      'a call without credentials',
      { target: '/api/method/frappe.auth.get_logged_user', response: Buffer.from('{"message":"a@b.example"}') },
    ],
    [
      'a missing parameter',
      {
        target: '/api/method/frappe.client.get_count',
        headers: { cookie: 'sid=x' },
        response: Buffer.from('{"message":1}'),
      },
    ],
    [
      'a parameter of another type',
      {
        target: '/api/resource/Server?limit=many',
        headers: { cookie: 'sid=x' },
        response: Buffer.from('{"data":[]}'),
      },
    ],
    [
      'an unknown field of a document',
      {
        target: '/api/method/frappe.client.get?doctype=Plan&name=Free',
        headers: { cookie: 'sid=x' },
        response: Buffer.from('{"message":{"doctype":"Plan","name":"Free"}}'),
      },
    ],
  ] satisfies [string, Partial<ApiExchange>][])('refuses %s', (_what, change) => {
    expect(problems(change)).not.toEqual([])
  })
})
