import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { sendUpload } from './send-upload.ts'

// As bundled for browsers: what Node would load can't send files.
vi.mock('tus-js-client', () => vi.importActual('tus-js-client/lib.es5/browser/index.js'))

const partBytes = 8 * 1_048_576
const file = new File([new Uint8Array(2.5 * partBytes)], 'large.zip')
/** What arrived, and the requests in order. */
let arrived = 0
let requests: string[] = []
/** What happens to requests before the server has them: they go on if it is empty. */
let faults: (() => Response | null)[] = []
let finished: () => Response = () => HttpResponse.json({ message: { package: 'p1' } })

const offset = () => ({ 'upload-offset': String(arrived), 'upload-length': String(file.size) })
const server = setupServer(
  http.post('*/api/uploads', () => {
    requests.push('POST')
    return new HttpResponse(null, { status: 201, headers: { location: '/api/uploads/u1' } })
  }),
  http.head('*/api/uploads/u1', () => {
    requests.push('HEAD')
    return faults.shift()?.() ?? new HttpResponse(null, { headers: offset() })
  }),
  http.patch('*/api/uploads/u1', async ({ request }) => {
    const from = Number(request.headers.get('upload-offset'))
    const { byteLength } = await request.arrayBuffer()
    requests.push(`PATCH ${from}`)
    const fault = faults.shift()?.() ?? null
    if (fault?.type === 'error' || (fault !== null && fault.status !== 200)) return fault
    arrived = from + byteLength
    if (fault !== null) return HttpResponse.error()
    if (arrived < file.size) return new HttpResponse(null, { status: 204, headers: offset() })
    const response = finished()
    for (const [name, value] of Object.entries(offset())) response.headers.set(name, value)
    return response
  }),
)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => {
  // The document of the tests prints every response that failed.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  ;[arrived, requests, faults] = [0, [], []]
  finished = () => HttpResponse.json({ message: { package: 'p1' } })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(() => server.close())

/** Goes on as long as it takes, without waiting before further tries. */
async function sent(): Promise<unknown> {
  const result = sendUpload(file, {
    metadata: { kind: 'wordpress_package', site: 's1' },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  }).then(
    (value) => value,
    (error: unknown) => error,
  )
  let isOver = false
  void result.then(() => (isOver = true))
  while (!isOver) await vi.advanceTimersByTimeAsync(10_000)
  return result
}

const passes = () => null
const noResponse = () => HttpResponse.error() as Response
/** The server got it, and its response is lost. */
const lostResponse = () => HttpResponse.json(null)
const reply =
  (status: number, body: Record<string, string> | null = null) =>
  () =>
    HttpResponse.json(body, { status }) as Response

test('an upload that breaks off goes on with what has not arrived', async () => {
  faults = [passes, noResponse]
  expect(await sent()).toEqual({ package: 'p1' })
  expect(requests).toEqual([
    'POST',
    'PATCH 0',
    `PATCH ${partBytes}`,
    'HEAD',
    `PATCH ${partBytes}`,
    `PATCH ${2 * partBytes}`,
  ])
})

test.each([408, 409, 423, 429, 504])('with status %d nothing begins anew', async (status) => {
  faults = [passes, reply(status), reply(status), reply(status)]
  expect(await sent()).toEqual({ package: 'p1' })
  expect(requests.filter((one) => one === 'POST' || one === 'PATCH 0')).toEqual(['POST', 'PATCH 0'])
})

test('if the last response is lost, what became of the file is asked for', async () => {
  faults = [passes, passes, lostResponse, passes, noResponse]
  expect(await sent()).toEqual({ package: 'p1' })
  expect(requests.slice(-3)).toEqual(['HEAD', `PATCH ${file.size}`, `PATCH ${file.size}`])
})

test('what the server refuses at the end is shown, also if that is asked for again', async () => {
  finished = () => HttpResponse.json({ message: 'This is no plugin.' }, { status: 417 })
  expect(await sent()).toMatchObject({ message: 'This is no plugin.' })
  ;[arrived, requests] = [0, []]
  faults = [passes, passes, lostResponse]
  expect(await sent()).toMatchObject({ message: 'This is no plugin.' })
})

test('a line that stays broken is said', async () => {
  faults = Array.from({ length: 20 }, () => noResponse)
  const error = await sent()
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ message: 'The upload broke off.' })
})
