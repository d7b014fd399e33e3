/** The programs that a server makes, encrypts and sends archives with, as far as Easydash uses them. */
import { readFile, writeFile } from 'node:fs/promises'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import type { Machine } from './machine.ts'

/** `zstd -q`: compresses standard input. */
export async function zstd({ err }: Machine, argv: readonly string[]): Promise<number> {
  if (argv.join(' ') !== '-q') return unknown('zstd', argv, err)
  await pipeline(process.stdin, createZstdCompress(), process.stdout)
  return 0
}

/** `age -r RECIPIENT`: encrypts standard input. */
export async function age({ err }: Machine, argv: readonly string[]): Promise<number> {
  const [option, recipient = '', ...rest] = argv
  if (option !== '-r' || rest.length > 0) return unknown('age', argv, err)
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const content = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb((await encrypter.encrypt(content)) as never), process.stdout)
  return 0
}

function unknown(name: string, argv: readonly string[], err: Machine['err']): number {
  err(`${name}: unknown arguments: ${argv.join(' ')}\n`)
  return 2
}

/** Options of curl that take a value, and those that its configuration can have. */
const withValue = [
  ...['config', 'request', 'upload-file', 'header', 'connect-timeout', 'max-time'],
  ...['dump-header', 'output', 'write-out', 'url', 'proto'],
]

interface Options {
  readonly values: ReadonlyMap<string, string>
  readonly headers: readonly (readonly [string, string])[]
}

/** Null for what this curl does not know, and where it would take brackets of an address for a pattern of many. */
function optionsOf(argv: readonly string[], config: string): Options | null {
  if (!argv.includes('--globoff')) return null
  const pairs: [string, string][] = []
  for (let at = 0; at < argv.length; at += 1) {
    if (argv[at] === '--silent' || argv[at] === '--globoff') continue
    pairs.push([(argv[at] ?? '').replace(/^--/, ''), argv[(at += 1)] ?? ''])
  }
  for (const line of config.split('\n').filter((one) => one !== '')) {
    const [, name = '', value = ''] = /^([a-z-]+) = "([^"]*)"$/.exec(line) ?? []
    pairs.push([name, value])
  }
  if (!pairs.every(([name]) => withValue.includes(name))) return null
  const headers = pairs
    .filter(([name]) => name === 'header')
    .map(([, line]) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
  return { values: new Map(pairs), headers: headers.filter(([, value]) => value !== '') }
}

/** `curl --config - …`: one request. */
export async function curl({ out, err, readInput }: Machine, argv: readonly string[]): Promise<number> {
  const options = optionsOf(argv, readInput())
  if (!options) return unknown('curl', argv, err)
  const { values } = options
  const end = (code: number, status = '000') => {
    if (values.has('write-out')) out((values.get('write-out') ?? '').replace('%{http_code}', status))
    return code
  }
  const sent = values.get('upload-file')
  try {
    const response = await answerOf(options, sent === undefined ? null : await readFile(sent))
    const body = await buffer(response)
    const lines = response.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? `${name}: ${response.rawHeaders[at + 1]}` : [],
    )
    const kept = values.get('dump-header')
    if (kept !== undefined) await writeFile(kept, `HTTP/1.1 ${response.statusCode}\r\n${lines.join('\r\n')}\r\n\r\n`)
    const output = values.get('output')
    if (output !== undefined) await writeFile(output, body)
    return end(0, String(response.statusCode))
  } catch (error) {
    return end({ ENOTFOUND: 6, ECONNREFUSED: 7 }[String(Reflect.get(error as Error, 'code'))] ?? 56)
  }
}

function answerOf({ values, headers }: Options, content: Buffer | null): Promise<IncomingMessage> {
  const url = new URL(values.get('url') ?? '')
  const length = content === null ? [] : [['content-length', String(content.length)] as const]
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    send(url, { method: values.get('request') ?? 'GET', headers: Object.fromEntries([...headers, ...length]) }, resolve)
      .on('error', reject)
      .end(content ?? undefined)
  })
}
