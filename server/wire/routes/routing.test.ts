import fc from 'fast-check'
import { fastify } from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { splitTarget } from '../request/request-target.ts'
import { checkFixedPart, frappeVerbs, nameInPath, restOfPath, routerSettings, withSlash } from './routing.ts'

/** The API's routes, each responding with the names in its path. */
const app = fastify({
  ...routerSettings,
  frameworkErrors: (_error, _request, reply) => {
    reply.raw.writeHead(417).end()
  },
})
app.addHook('onRequest', async (request) => checkFixedPart(request))
app.setErrorHandler((error, _request, reply) => {
  const code = error instanceof AppError ? error.code : null
  return reply.code(code === 'not_found' ? 404 : code === 'invalid' ? 417 : 500).send({})
})
for (const prefix of ['/api', '/api/v1']) {
  for (const url of withSlash(`${prefix}/method/:method`))
    app.route<{ Params: { method: string } }>({
      method: frappeVerbs,
      url,
      handler: ({ params }) => ({ method: nameInPath(params.method) }),
    })
  for (const url of withSlash(`${prefix}/resource/:doctype`))
    app.route<{ Params: { doctype: string } }>({
      method: frappeVerbs,
      url,
      handler: ({ params }) => ({ doctype: nameInPath(params.doctype) }),
    })
  app.route<{ Params: { doctype: string; '*': string } }>({
    method: frappeVerbs,
    url: `${prefix}/resource/:doctype/*`,
    handler: ({ params, raw }) => ({
      doctype: nameInPath(params.doctype),
      name: restOfPath(params['*'], splitTarget(raw.url ?? '').path),
    }),
  })
}
app.route({ method: frappeVerbs, url: '*', handler: () => ({ path: 'nothing' }) })
afterAll(() => app.close())

/** The names in a path, or the status if it is rejected. */
async function routed(target: string): Promise<unknown> {
  const response = await app.inject({ method: 'GET', url: target })
  return response.statusCode === 200 ? response.json() : response.statusCode
}

describe('addresses', () => {
  it('name what the contract says', async () => {
    expect(await routed('/api/method/frappe.client.get')).toEqual({ method: 'frappe.client.get' })
    expect(await routed('/api/v1/method/ping/?a=1/')).toEqual({ method: 'ping' })
    expect(await routed('/api/resource/Organization%20Member')).toEqual({ doctype: 'Organization Member' })
    expect(await routed('/api/resource/User/')).toEqual({ doctype: 'User' })
    expect(await routed('/api/resource/User/ann@b.c/')).toEqual({ doctype: 'User', name: 'ann@b.c' })
    expect(await routed('/api/v1/resource/File/a/b%2Fc//')).toEqual({ doctype: 'File', name: 'a/b/c' })
    expect(await routed('/api/resource/File/https://a.b//c')).toEqual({ doctype: 'File', name: 'https://a.b//c' })
    expect(await routed('/api/resource/File/a%2F/')).toEqual({ doctype: 'File', name: 'a/' })
    expect(await routed(`/api/method/${'m'.repeat(20_000)}`)).toEqual({ method: 'm'.repeat(20_000) })
  })

  it('name nothing anywhere else', async () => {
    for (const target of ['/api', '/api/', '/api/method', '/api/v1', '/api/v2/resource/User', '/api/x/y', '/api//x'])
      expect([target, await routed(target)]).toEqual([target, { path: 'nothing' }])
    for (const target of ['/api/method/', '/api/resource//x', '/api/resource/User//'])
      expect([target, await routed(target)]).toEqual([target, 404])
  })

  it('are compared as they are sent, so that what a proxy closes stays closed', async () => {
    expect(await routed('/%61pi/method/ping')).toBe(404)
    expect(await routed('/API/method/ping')).toEqual({ path: 'nothing' })
    expect(await routed('/api/method/p%69ng')).toEqual({ method: 'ping' })
  })

  it('reject what is not text', async () => {
    for (const name of ['%', '%ff', '%c0%80', '%00', '%zz', '%2'])
      expect([name, await routed(`/api/resource/User/${name}`)]).toEqual([name, 417])
  })

  it('give back any name that was encoded into them', async () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const encoded = encodeURIComponent(text)
        expect(await routed(`/api/resource/User/${encoded}`)).toEqual({ doctype: 'User', name: text })
        expect(await routed(`/api/resource/${encoded}`)).toEqual({ doctype: text })
      }),
      { seed: 1 },
    )
  })

  it('never fail in another way', async () => {
    const words = fc.constantFrom('%', '%2F', '%25', '%ff', '/', '?', 'a', '..', ';', ':', '*', '\\', '@')
    await fc.assert(
      fc.asyncProperty(fc.array(words), async (parts) => {
        const response = await app.inject({ method: 'GET', url: `/api/resource/${parts.join('')}` })
        expect([200, 404, 417]).toContain(response.statusCode)
      }),
      { seed: 1 },
    )
  })
})
