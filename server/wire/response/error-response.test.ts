import { describe, expect, it } from 'vitest'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { plural, msg, labelMessage } from '#shared/localized-message.ts'
import { errorResponse } from './error-response.ts'

const response = (error: unknown, setting = {}) => errorResponse(error, { requestId: 'r1', ...setting })
const messagesOf = (body: Record<string, unknown>) =>
  (JSON.parse(String(body['_server_messages'])) as string[]).map((one) => JSON.parse(one) as Record<string, unknown>)

describe('errors on the wire', () => {
  it('maps each code to its status and class', () => {
    const table: Record<ErrorCode, [number, string]> = {
      not_found: [404, 'DoesNotExistError'],
      forbidden: [403, 'PermissionError'],
      invalid: [417, 'ValidationError'],
      conflict: [409, 'DuplicateEntryError'],
      locked: [417, 'DocumentLockedError'],
      limit_reached: [417, 'ValidationError'],
      unauthorized: [401, 'AuthenticationError'],
      rate_limited: [429, 'RateLimitExceededError'],
      unavailable: [503, 'SessionStopped'],
      unsupported: [417, 'ValidationError'],
      gone: [410, 'LinkExpired'],
      too_large: [413, 'RequestEntityTooLarge'],
      csrf: [400, 'CSRFTokenError'],
    }
    for (const [code, [status, excType]] of Object.entries(table)) {
      const { status: got, body } = response(new AppError(code as ErrorCode, msg`Words`))
      expect([code, got, body['exc_type'], body['code']]).toEqual([code, status, excType, code])
      expect(body['exception']).toBe(`frappe.exceptions.${excType}: Words`)
      expect(body['exc']).toBeUndefined()
    }
    expect(response(new AppError('conflict', msg`Stale`, { excType: 'TimestampMismatchError' })).status).toBe(417)
    expect(
      response(new AppError('rate_limited', msg`Wait`, { excType: 'TooManyRequestsError', retryAfterSeconds: 7.2 })),
    ).toMatchObject({ status: 429, headers: { 'retry-after': '8' } })
  })

  it('escapes user input in what clients show as HTML', () => {
    const typed = '<img src=x onerror=alert(1)> & &lt;b&gt; "a" > b is not a slug'
    const shown = '&lt;img src=x onerror=alert(1)> & &amp;lt;b&amp;gt; "a" > b is not a slug'
    const { body } = response(new AppError('invalid', labelMessage(typed)))
    expect(messagesOf(body)[0]).toMatchObject({ message: shown })
    expect(body['exception']).toBe(`frappe.exceptions.ValidationError: ${typed}`)
    expect(
      response(new AppError('forbidden', labelMessage(typed)), { aboutDocument: true }).body['_error_message'],
    ).toBe(shown)
  })

  it('carries messages as JSON text of JSON texts', () => {
    expect(
      messagesOf(response(new AppError('invalid', msg`Hostname is required`, { field: 'hostname' })).body),
    ).toEqual([
      {
        message: 'Hostname is required',
        title: 'Message',
        indicator: 'red',
        raise_exception: 1,
      },
    ])
    const several = response(
      new AppError('invalid', msg`[Server, x]: a, b`, {
        excType: 'MandatoryError',
        messages: [
          { field: 'a', message: msg`A` },
          { field: 'b', message: msg`B` },
        ],
      }),
    )
    expect(messagesOf(several.body)).toMatchObject([
      { message: 'A', field: 'a' },
      { message: 'B', field: 'b' },
    ])
  })

  it('sends every sentence in parts, too, beside its English', () => {
    const sites = 2
    const left = plural(sites, msg`${sites} site is left on ${'<b>'}.`, msg`${sites} sites are left on ${'<b>'}.`)
    const error = new AppError('invalid', left, { nextAction: msg`Delete ${labelMessage('Sites')} first.` })
    const parts = { id: '{count, plural, one {{0} site is left on {1}.} other {{0} sites are left on {1}.}}', count: 2 }
    const { body } = response(error)
    // The message is HTML and its parts are plain text; the entry has exactly the keys Frappe's clients expect.
    expect(messagesOf(body)).toEqual([
      { message: '2 sites are left on &lt;b>.', title: 'Message', indicator: 'red', raise_exception: 1 },
    ])
    expect(body).toMatchObject({
      message_i18n: { ...parts, values: [2, '<b>'] },
      next_action: 'Delete Sites first.',
      next_action_i18n: { id: 'Delete {0} first.', values: [{ id: 'Sites' }] },
    })
    const denied = response(new AppError('forbidden', left), { aboutDocument: true }).body
    expect(denied).toMatchObject({ message_i18n: { ...parts, values: [2, '<b>'] } })
    const several = new AppError('invalid', msg`all`, { messages: [{ field: 'a', message: msg`A ${1}` }] })
    expect(response(several).body['message_i18n']).toEqual({ id: 'A {0}', values: [1] })
    expect(response(new Error('x')).body['message_i18n']).toEqual({
      id: 'Something went wrong on the server. Its log has the details under {0}.',
      values: ['r1'],
    })
  })

  it('distinguishes denials on documents, and adds message to failed logins only', () => {
    const denial = new AppError('forbidden', msg`Insufficient Permission for Server`)
    expect(response(denial, { aboutDocument: true }).body).toMatchObject({
      _error_message: 'Insufficient Permission for Server',
    })
    expect(response(denial, { aboutDocument: true }).body['_server_messages']).toBeUndefined()
    expect(response(denial).body['_error_message']).toBeUndefined()
    const login = new AppError('unauthorized', msg`Invalid login credentials`)
    expect(response(login, { login: true }).body['message']).toBe('Invalid login credentials')
    expect(response(login).body['message']).toBeUndefined()
    expect(response(login, { sessionExpired: true }).body['session_expired']).toBe(1)
  })

  it('says nothing about defects and calls passing states of the database busy', () => {
    const secret = response(new Error('select password from x'))
    expect(secret).toMatchObject({ status: 500, defect: true })
    expect(JSON.stringify(secret)).not.toContain('password')
    expect(response('a thrown text')).toMatchObject({ status: 500, defect: true })
    for (const fields of [
      { code: '57014' },
      { code: '57P01' },
      { code: '08006' },
      { code: 'ECONNREFUSED', syscall: 'connect' },
    ]) {
      expect(response(Object.assign(new Error('detail'), fields))).toMatchObject({
        status: 503,
        defect: false,
        body: { code: 'unavailable' },
      })
    }
    expect(response(Object.assign(new Error('x'), { code: '42P01' })).status).toBe(500)
    expect(response(Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })).status).toBe(500)
  })
})
