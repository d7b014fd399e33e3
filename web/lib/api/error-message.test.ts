import { describe, expect, test } from 'vitest'
import { errorFromBody, offlineMessage, toApiError } from './api-error.ts'
import { errorMessage, unknownError } from './error-message.ts'

const serverMessages = (...items: unknown[]): string => JSON.stringify(items.map((item) => JSON.stringify(item)))

describe('errorMessage', () => {
  test('the first server message takes precedence over exception and message', () => {
    const body = {
      _server_messages: serverMessages({ message: 'Hostname is required' }, { message: 'Second' }),
      exception: 'X',
      message: 'Y',
    }
    expect(errorMessage(body)).toBe('Hostname is required')
  })
  test('then what a denial of a document says, without its HTML', () => {
    const exception = 'frappe.exceptions.PermissionError: No &amp; never'
    expect(errorMessage({ _error_message: 'No &amp; never', exception })).toBe('No & never')
  })
  test('the exception comes next, whole', () => {
    const exception = 'frappe.exceptions.ValidationError: Name is taken: blog'
    expect(errorMessage({ exception, message: 'Y' })).toBe(exception)
    expect(errorMessage({ exception: 'Something odd' })).toBe('Something odd')
  })
  test('then the message, then the default text', () => {
    expect(errorMessage({ message: 'Invalid login credentials' })).toBe('Invalid login credentials')
    for (const nothing of [null, undefined, {}, [], 7, { message: { a: 1 } }, { _server_messages: '[]' }, '']) {
      expect(errorMessage(nothing)).toBe(unknownError)
    }
  })
  test.each(['not json', '{}', '["not json"]', '[1]', serverMessages({ title: 'no message' }), serverMessages(null)])(
    'malformed server messages %s are skipped',
    (raw) => expect(errorMessage({ _server_messages: raw, exception: 'Next' })).toBe('Next'),
  )
  test('HTML is converted to text', () => {
    expect(
      errorMessage({ _server_messages: serverMessages({ message: 'No <strong>write</strong> on Server &amp; Site' }) }),
    ).toBe('No write on Server & Site')
  })
})

describe('ApiError', () => {
  test('reads code, field, retry delay and next step from the response', () => {
    const headers = new Headers({ 'retry-after': '240', 'x-frappe-request-id': 'r1' })
    const error = errorFromBody(
      {
        exc_type: 'RateLimitExceededError',
        code: 'rate_limited',
        field: 'pwd',
        next_action: 'Wait.',
        message: 'Too many',
      },
      429,
      headers,
    )
    expect(error).toMatchObject({
      httpStatus: 429,
      excType: 'RateLimitExceededError',
      code: 'rate_limited',
      field: 'pwd',
      retryAfter: 240,
      nextAction: 'Wait.',
      requestId: 'r1',
      message: 'Too many',
    })
  })
  test('a request without a response is a network error', () => {
    expect(toApiError(new TypeError('Failed to fetch')).message).toBe(offlineMessage)
  })
  test('keeps an ApiError unchanged', () => {
    const error = errorFromBody({}, 500)
    expect(toApiError(error)).toBe(error)
  })
})
