/** Raw HTTP, for requests no well-behaved client sends. */
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

/** Response of a request. */
export interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** A request with any Host header, path and body. */
export function ask(
  port: number,
  options: { path?: string; method?: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { path = '/', method = 'GET', headers = {}, body } = options
    const isChunked = headers['transfer-encoding'] !== undefined
    const length = body === undefined || isChunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(
      { port, host: '127.0.0.1', path, method, headers: { ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A client's call from `ip`, as forwarded by a trusted proxy in front of `dash.example`. */
export function askThroughProxy(
  port: number,
  ip: string,
  path: string,
  params?: Record<string, unknown>,
  cookie?: string,
): Promise<RawResponse> {
  return ask(port, {
    path,
    headers: {
      host: 'dash.example',
      'x-forwarded-for': ip,
      'x-forwarded-host': 'dash.example',
      'x-forwarded-proto': 'https',
      accept: 'application/json',
      ...(params ? { 'content-type': 'application/json' } : {}),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(params ? { method: 'POST', body: JSON.stringify(params) } : {}),
  })
}

/** Sends bytes and reads until the server closes; returns the status of the first response, 0 if there is none. */
export function sendBytes(port: number, bytes: Buffer | string): Promise<number> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(chunks).toString('latin1'))?.[1] ?? 0))
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', () => undefined)
  })
}
