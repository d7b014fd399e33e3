/** Section 3 of the wire contract: the shape of errors and the status of each exception. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { bootErrorsFixture, firstMessage, raised } from './errors-fixture.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, manager, server } = await bootErrorsFixture())
})
afterAll(() => booted.close())

describe('section 3: shape', () => {
  it('exc_type, exception and code always; no traceback', async () => {
    const { body } = await raised(booted, { code: 'invalid' })
    expect(body).toMatchObject({
      exc_type: 'ValidationError',
      exception: 'frappe.exceptions.ValidationError: What went wrong.',
      code: 'invalid',
    })
    expect(body).not.toHaveProperty('exc')
    expect(body).not.toHaveProperty('message')
  })

  it('_server_messages: JSON text of a list of JSON texts; the first is what people see', async () => {
    const { body } = await raised(booted, { code: 'invalid' })
    expect(firstMessage(body)).toEqual({
      message: 'What went wrong.',
      title: 'Message',
      indicator: 'red',
      raise_exception: 1,
    })
  })

  it('_error_message: a refusal on a document, without _server_messages', async () => {
    const error = await sdkError(manager.app.db().updateDoc('Server', server, { hostname: 'x.acme.test' }))
    expect(error['_error_message']).toBe('Insufficient Permission for Server (write)')
    expect(error['_server_messages']).toBeUndefined()
  })

  it('message: on a failed login only', async () => {
    const login = booted.browser().app.auth().loginWithUsernamePassword({ username: 'a@b.example', password: 'no' })
    expect((await sdkError(login)).message).toBe('Invalid login credentials')
    expect((await sdkError(owner.app.db().getDoc('Server', 'no'))).message).toBe(
      'There was an error while fetching the document.',
    )
  })

  it('session_expired: when the sid is unknown or expired, with the cookies cleared', async () => {
    const response = await booted
      .browser()
      .fetch('/api/method/frappe.auth.get_logged_user', { headers: { cookie: `sid=${'A'.repeat(43)}; user_id=x` } })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ exc_type: 'PermissionError', session_expired: 1 })
    expect(response.headers.getSetCookie().filter((line) => /^(sid|user_id)=;.*Max-Age=0/.test(line))).toHaveLength(2)
  })

  it('SDK: throws the body with httpStatus, httpStatusText, message and exception', async () => {
    expect(await sdkError(owner.app.call().get('test.raise', { code: 'conflict' }))).toMatchObject({
      httpStatus: 409,
      httpStatusText: 'Conflict',
      message: 'There was an error.',
      exception: 'frappe.exceptions.DuplicateEntryError: What went wrong.',
      exc_type: 'DuplicateEntryError',
    })
  })
})

describe('section 3: exceptions', () => {
  it.each([
    ['AuthenticationError', 'unauthorized', 401],
    ['SessionExpired', 'unauthorized', 401],
    ['InvalidKeyError', 'unauthorized', 401],
    ['PermissionError', 'forbidden', 403],
    ['DoesNotExistError', 'not_found', 404],
    ['PageDoesNotExistError', 'not_found', 404],
    ['NameError', 'conflict', 409],
    ['DuplicateEntryError', 'conflict', 409],
    ['LinkExpired', 'gone', 410],
    ['UnsupportedMediaType', 'invalid', 415],
    ['ValidationError', 'invalid', 417],
    ['MandatoryError', 'invalid', 417],
    ['DataError', 'invalid', 417],
    ['LinkExistsError', 'invalid', 417],
    ['LinkValidationError', 'invalid', 417],
    ['UniqueValidationError', 'invalid', 417],
    ['TimestampMismatchError', 'conflict', 417],
    ['InvalidEmailAddressError', 'invalid', 417],
    ['InvalidNameError', 'invalid', 417],
    ['CharacterLengthExceededError', 'invalid', 417],
    ['CannotChangeConstantError', 'invalid', 417],
    ['UpdateAfterSubmitError', 'invalid', 417],
    ['DocumentLockedError', 'locked', 417],
    ['FrappeTypeError', 'invalid', 417],
    ['CSRFTokenError', 'csrf', 400],
    ['InvalidAuthorizationToken', 'csrf', 400],
    ['RateLimitExceededError', 'rate_limited', 429],
    ['InReadOnlyMode', 'unavailable', 503],
    ['SessionStopped', 'unavailable', 503],
  ])('%s is %s and %i', async (type, code, status) => {
    expect(await raised(booted, { code, type })).toMatchObject({ status, body: { exc_type: type, code } })
  })

  it.each([
    ['locked', 417, 'DocumentLockedError'],
    ['limit_reached', 417, 'ValidationError'],
    ['unsupported', 417, 'ValidationError'],
    ['unavailable', 503, 'SessionStopped'],
    ['gone', 410, 'LinkExpired'],
    ['too_large', 413, 'RequestEntityTooLarge'],
    ['csrf', 400, 'CSRFTokenError'],
    ['conflict', 409, 'DuplicateEntryError'],
  ])('(ours) %s is %i, its code in the body', async (code, status, type) => {
    expect(await raised(booted, { code })).toMatchObject({ status, body: { exc_type: type, code } })
  })

  it('any other: 500 that says nothing but the number in the log', async () => {
    const { status, headers, body } = await raised(booted, {})
    expect([status, body['exc_type'], body['code']]).toEqual([500, 'InternalServerError', 'internal'])
    expect(JSON.stringify(body)).not.toMatch(/tab_user|srv|select/)
    expect(String(body['exception'])).toContain(String(headers['x-frappe-request-id']))
    expect(booted.logged.join('\n')).toContain('tab_user')
  })
})
