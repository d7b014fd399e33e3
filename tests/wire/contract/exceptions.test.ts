/** Section 3 of the wire contract: what raises each exception. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { ask } from '../raw.ts'
import { bootErrorsFixture, firstMessage, raised, type Body } from './errors-fixture.ts'

let booted: Booted
let owner: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, server } = await bootErrorsFixture())
})
afterAll(() => booted.close())

describe('section 3: when', () => {
  it('AuthenticationError: a wrong Authorization header, on guest methods too; the cookies go', async () => {
    for (const authorization of ['token a:b', 'Bearer x', `Basic ${btoa('a:b')}`, 'Digest x', 'token', '']) {
      const response = await booted
        .browser()
        .fetch('/api/method/ping', { headers: { authorization, cookie: 'user_id=a' } })
      expect([authorization, response.status]).toEqual([authorization, 401])
      expect(await response.json()).toMatchObject({ exc_type: 'AuthenticationError' })
      expect(response.headers.getSetCookie().join()).toMatch(/sid=;/)
    }
  })

  it('PermissionError: guests, unknown and not permitted methods alike', async () => {
    const guest = booted.browser()
    expect((await sdkError(guest.app.db().getDocList('Server'))).httpStatus).toBe(403)
    const unknown = await sdkError(owner.app.call().get('frappe.utils.execute', {}))
    const forbidden = await sdkError(guest.app.call().get('frappe.client.get_list', { doctype: 'Server' }))
    expect([unknown.exc_type, forbidden.exc_type]).toEqual(['PermissionError', 'PermissionError'])
    expect(unknown.exception.replace('frappe.utils.execute', 'X')).toBe(
      forbidden.exception.replace('frappe.client.get_list', 'X'),
    )
  })

  it('DoesNotExistError: unknown doctype, unknown document, unknown address', async () => {
    expect(await sdkError(owner.app.db().getDocList('Nothing' as never))).toMatchObject({
      httpStatus: 404,
      exc_type: 'DoesNotExistError',
    })
    expect(await sdkError(owner.app.db().getDoc('Server', 'nope'))).toMatchObject({
      httpStatus: 404,
      exc_type: 'DoesNotExistError',
    })
    expect(await sdkError(owner.app.call().get('../nothing', {}))).toMatchObject({
      httpStatus: 404,
      exc_type: 'PageDoesNotExistError',
    })
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await sdkError(owner.app.db().getDoc(name, 'x'))).httpStatus).toBe(404)
  })

  it('DuplicateEntryError: the name exists; UniqueValidationError: a unique column', async () => {
    expect(await sdkError(owner.app.db().createDoc('Organization', { title: 'Globex', slug: 'globex' }))).toMatchObject(
      {
        httpStatus: 409,
        exc_type: 'DuplicateEntryError',
        exception: 'frappe.exceptions.DuplicateEntryError: Organization globex already exists',
        field: 'slug',
      },
    )
  })

  it('LinkExpired: a reset key that was never given or is used up', async () => {
    const error = await sdkError(
      booted
        .browser()
        .app.call()
        .post('frappe.core.doctype.user.user.update_password', {
          key: 'A'.repeat(43),
          new_password: 'Correct-Horse-43!',
        }),
    )
    expect(error).toMatchObject({ httpStatus: 410, exc_type: 'LinkExpired' })
  })

  it('UnsupportedMediaType: bodies other than JSON, form and multipart', async () => {
    const response = await ask(booted.port, {
      path: '/api/method/ping',
      method: 'POST',
      headers: { 'content-type': 'application/xml', accept: 'application/json' },
      body: '<a/>',
    })
    expect([response.status, (JSON.parse(response.body) as Body)['exc_type']]).toEqual([415, 'UnsupportedMediaType'])
  })

  it('MandatoryError: one message for each missing field, all named in the text', async () => {
    const error = await sdkError(owner.app.db().createDoc('Server', { organization: 'acme' }))
    expect(error).toMatchObject({ httpStatus: 417, exc_type: 'MandatoryError', field: 'hostname' })
    expect(error.exception).toMatch(/^frappe\.exceptions\.MandatoryError: \[Server, .*\]: hostname$/)
    expect(firstMessage(error)['message']).toBe('Error: Value missing for Server: Hostname')
  })

  it('TimestampMismatchError: a modified that is not the stored one', async () => {
    expect(
      await sdkError(
        owner.app.db().updateDoc('Server', server, { modified: '2001-01-01 00:00:00.000000', hostname: 'y.acme.test' }),
      ),
    ).toMatchObject({ httpStatus: 417, exc_type: 'TimestampMismatchError', code: 'conflict' })
  })

  it('FrappeTypeError: a parameter of the wrong type; missing ones are ValidationError', async () => {
    const call = owner.app.call()
    expect(
      await sdkError(call.post('frappe.client.get_value', { doctype: ['Server'], fieldname: 'name' })),
    ).toMatchObject({
      httpStatus: 417,
      exc_type: 'FrappeTypeError',
      field: 'doctype',
    })
    expect(await sdkError(call.post('frappe.client.get_count', {}))).toMatchObject({
      httpStatus: 417,
      exc_type: 'ValidationError',
      field: 'doctype',
    })
  })

  it('CSRFTokenError: a missing and a wrong token', async () => {
    for (const token of [{}, { 'x-frappe-csrf-token': 'wrong' }]) {
      const response = await owner.fetch('/api/method/logout', {
        method: 'POST',
        headers: { accept: 'application/json', ...token },
      })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        exc_type: 'CSRFTokenError',
        exception: 'frappe.exceptions.CSRFTokenError: Invalid Request',
      })
    }
  })

  it('RateLimitExceededError says when to try again; TooManyRequestsError also how much there is', async () => {
    expect(await raised(booted, { code: 'rate_limited' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
    })
    const busy = await booted.signedIn('owner@globex.example')
    let response = await busy.fetch('/api/method/ping')
    for (let calls = 0; calls < 200 && response.status === 200; calls += 1)
      response = await busy.fetch('/api/method/ping')
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({ exc_type: 'TooManyRequestsError', code: 'rate_limited' })
    expect(response.headers.get('x-ratelimit-limit')).toBe('150')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    for (const name of ['x-ratelimit-reset', 'retry-after'])
      expect(Number(response.headers.get(name))).toBeGreaterThan(0)
    // Reading one's own user is not rate limited.
    expect((await busy.fetch('/api/method/frappe.auth.get_logged_user')).status).toBe(200)
  })

  it('a locked login answers 429 with Retry-After, never 500', async () => {
    const other = await boot({ env: { EASYDASH_RATE_LIMITS: '{}' } })
    try {
      await other.person('ann@example.com')
      const login = (pwd: string) =>
        other.browser().app.auth().loginWithUsernamePassword({ username: 'ann@example.com', password: pwd })
      for (let tries = 0; tries < 5; tries += 1) expect((await sdkError(login('wrong'))).httpStatus).toBe(401)
      const locked = await sdkError(login(password))
      expect(locked).toMatchObject({ httpStatus: 429, exc_type: 'RateLimitExceededError' })
      expect(locked['retry_after']).toBeGreaterThan(0)
    } finally {
      await other.close()
    }
  })
})
