import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { acceptedVerbs } from '#server/wire/methods/method-registry.ts'
import type { ApiDocument } from '#tests/support/api-validator.ts'
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
