/** The functions that read foreign text, against hostile inputs; run by `growth-worker.ts`. */
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { formatOfNames, kindOfFile } from '#shared/rules/archive-formats.ts'
import { csvRow } from '#shared/rules/csv.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { checkPasswordLength } from '#shared/rules/password-strength.ts'
import { checkSiteName, siteNameFromTitle } from '#shared/rules/site-name.ts'
import { slugFromTitle } from '#shared/rules/slugs.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { msg } from '#shared/localized-message.ts'
import { parseFilters } from '#server/documents/query/filters.ts'
import { parseFields, parseGroupBy, parseOrderBy } from '#server/documents/query/select.ts'
import { coerce } from '#server/documents/store/values.ts'
import { readZip } from '#server/engines/local/core/zip.ts'
import { stripForeignDomain } from '#server/engines/local/proxy/proxy-headers.ts'
import { decodePath } from '#server/engines/local/sites/static-files.ts'
import { readAuthorization } from '#server/features/accounts/sessions/api-token-sessions.ts'
import { deviceOf } from '#server/features/accounts/sign-in/device-name.ts'
import { cleanFileName } from '#server/features/files/file-name.ts'
import { neutralizeLinks } from '#server/features/organizations/invite-mail.ts'
import { containsTitle } from '#server/features/sites/page-check.ts'
import { messageOf } from '#server/jobs/failure.ts'
import { cleanLines } from '#server/jobs/log/log-buffer.ts'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { plainForTerminal, linksOf } from '#server/platform/mail/mail-text.ts'
import { redact } from '#server/platform/log/redact.ts'
import { readTar } from '#server/platform/files/tar.ts'
import { XmlError, XmlReader } from '#server/platform/xml-reader.ts'
import { vendorText } from '#server/providers/provider-error.ts'
import { hasOurCookies, sidOf } from '#server/wire/request/cookies.ts'
import { errorResponse } from '#server/wire/response/error-response.ts'
import { parseJsonBody, parsePairs } from '#server/wire/request/parameters.ts'
import { restOfPath } from '#server/wire/routes/routing.ts'
import { routedTarget } from '#server/wire/request/request-target.ts'
import { sanitize } from '#server/wire/response/sanitize.ts'
import { parseStructured } from '#server/wire/request/parameter-values.ts'
import { repeated, type GrowthCase } from './growth-case.ts'
import { knownPumps } from './regex-inputs.ts'

/** What was refused was read all the same. */
function ignoringErrors(run: (input: string) => unknown): (input: string) => unknown {
  return (input) => {
    try {
      return run(input)
    } catch (error) {
      if (error instanceof AppError || error instanceof RangeError || error instanceof XmlError) return null
      throw error
    }
  }
}

/** Reads in pieces, as a file comes. */
function readXml(input: string): void {
  const reader = new XmlReader({ open: () => undefined, text: () => undefined, close: () => undefined })
  for (let at = 0; at < input.length; at += 4_096) reader.push(input.slice(at, at + 4_096))
  reader.end()
}

const site = doctypes.find(({ name }) => name === 'Site')
if (!site) throw new Error('There is no doctype Site.')
const context = { type: site, typeByName: () => null, readable: null }
const formats = ['email', 'domain', 'slug', 'username', 'hostname', 'ip', 'url', 'phone', 'timezone'] as const

/** Functions of one text. Where the text is a part of something, that is put around it here. */
const readers: Readonly<Record<string, (input: string) => unknown>> = {
  redact: (input) => redact(input),
  'redact, in a saved view': (input) => redact({ filters: [['title', 'like', input]], [input]: input }),
  'redact, in many values': (input) => redact(input.match(/.{1,40}/gs)),
  sanitize: (input) => sanitize(input),
  'sanitize, without tags': (input) => sanitize(input, { tags: 'none' }),
  'sanitize, in a link': (input) => sanitize(`<a href="https://a.test/${input}">`),
  csvRow: (input) => csvRow([input, { input }]),
  'checkFormat, international domain': (input) => checkFormat('domain', `xn--${input}.de`),
  'checkFormat, international domain, digits': (input) => checkFormat('domain', `xn--a-${input}.de`),
  checkPasswordLength,
  checkSiteName,
  siteNameFromTitle,
  slugFromTitle,
  parseSshPublicKey,
  'parseSshPublicKey, its content': (input) => parseSshPublicKey(`ssh-rsa ${input} ann`),
  ...Object.fromEntries(
    formats.map((format) => [`checkFormat ${format}`, (input: string) => checkFormat(format, input)]),
  ),
  'checkFormat email, its domain': (input) => checkFormat('email', `a@${input}`),
  'checkFormat url, its path': (input) => checkFormat('url', `https://a.test/${input}`),
  'say, with a long value': (input) => msg`The field ${input} is wrong.`.text,
  'an error with a long value': (input) =>
    errorResponse(new AppError('invalid', msg`${input}`), {
      requestId: 'x',
      aboutDocument: false,
      login: false,
      sessionExpired: false,
    }),
  parsePairs,
  'parsePairs, one value': (input) => parsePairs(`a=${input}`),
  parseJsonBody: (input) => parseJsonBody(Buffer.from(input)),
  'parseJsonBody, in a text': (input) => parseJsonBody(Buffer.from(`{"a":"${input}"}`)),
  'parseJsonBody, in a list': (input) => parseJsonBody(Buffer.from(`[${input}]`)),
  'structured parameter': (input) => parseStructured({ filters: `[${input}]` }, 'filters'),
  parseFilters: (input) => parseFilters(input, context),
  'parseFilters, a value': (input) => parseFilters([['title', '=', input]], context),
  'parseFilters, a list as text': (input) => parseFilters([['title', 'in', input]], context),
  'parseFilters, a pattern': (input) => parseFilters([['title', 'like', input]], context),
  'parseFilters, between': (input) => parseFilters([['creation', 'between', input]], context),
  'parseFilters, a name': (input) => parseFilters({ [input]: 1 }, context),
  'parseFilters, an operator': (input) => parseFilters([['title', input, 1]], context),
  parseFields: (input) => parseFields(input, context),
  'parseFields, many': (input) =>
    parseFields(
      Array.from({ length: 100 }, () => input.slice(0, 300)),
      context,
    ),
  'parseFields, JSON': (input) => parseFields(`["${input}"]`, context),
  parseGroupBy: (input) => parseGroupBy(input, context),
  parseOrderBy: (input) => parseOrderBy(input, context, []),
  ...Object.fromEntries(
    (['Data', 'Int', 'Float', 'Datetime', 'Date', 'JSON', 'Check'] as const).map((fieldtype) => [
      `coerce ${fieldtype}`,
      (input: string) => coerce('field', { ...site.fields['title'], fieldtype } as never, input),
    ]),
  ),
  routedTarget,
  'routedTarget, a name': (input) => routedTarget(`/api/resource/Site/${input}`),
  restOfAddress: (input) => restOfPath(input, input),
  sidOf,
  'sidOf, its value': (input) => sidOf(`sid=${input}`),
  hasOurCookies,
  readAuthorization,
  'readAuthorization, token': (input) => readAuthorization(`token ${input}`),
  'readAuthorization, basic': (input) => readAuthorization(`Basic ${input}`),
  deviceOf,
  'deviceOf, Safari': (input) => deviceOf(`Version/0${input}`),
  vendorText,
  cleanFileName,
  neutralizeLinks,
  'showsTitle, the title': (input) => containsTitle('<h1>page</h1>', input),
  'showsTitle, the page': (input) => containsTitle(input, 'title'),
  messageOf: (input) => messageOf(new Error(input)),
  cleanLines,
  escapeHtml,
  plainForTerminal,
  linksOf,
  'linksOf, a link': (input) => linksOf(`https://a.test/${input}`),
  kindOfFile: (input) => kindOfFile(Buffer.from(input)),
  'kindOfFile, an export': (input) => kindOfFile(Buffer.from(`<rss ${input}`)),
  formatOfNames: (input) => formatOfNames(input.split(' ')),
  'formatOfNames, one': (input) => formatOfNames([input]),
  ...Object.fromEntries(
    ['', '<a>', '<a><![CDATA[', '<a b="', '<a><!--'].map((begin) => [
      `XML behind ${begin}`,
      ignoringErrors((input) => readXml(begin + input)),
    ]),
  ),
  withoutForeignDomain: (input) => stripForeignDomain(input, 'a.localhost'),
  decodePath,
}

/** Beside the pumps of `regex-inputs.ts`: beginnings of what these functions look for. */
const pumps = [
  ...knownPumps,
  '<b>',
  '</b>',
  '<li>',
  '<p>',
  '<script>',
  '</script',
  '<!--',
  '&#1;',
  'https://a',
  'xn--',
  'A1',
  '1,',
  '\u0300',
  '\u{1f600}',
  '\ud800',
  '\r\n',
  '\u001b]',
  '"key":"',
  'key="',
  "key='",
  'token ',
  'Bearer ',
  'cookie:',
  '-----BEGIN PRIVATE KEY-----',
  '$argon2id$',
  'sid=',
  '; ',
  '%41',
  '%2',
]

/** JSON of many shapes: each makes a parser, or what looks at its answer, do another kind of work. */
const jsonShapes: Readonly<Record<string, (size: number) => string>> = {
  'nested lists': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'nested objects': (size) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6),
  'unclosed lists': (size) => '['.repeat(size),
  numbers: (size) => `[${'1,'.repeat(size / 2)}1]`,
  'one long number': (size) => `[${'9'.repeat(size)}]`,
  'one long fraction': (size) => `[0.${'1'.repeat(size)}]`,
  'many keys': (size) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: size / 12 }, (_, at) => [`k${at}`, at]))),
  'keys that are numbers': (size) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: size / 14 }, (_, at) => [String(at * 65_521), at]))),
  'one key again and again': (size) => `{${Array.from({ length: size / 6 }, () => '"a":1').join(',')}}`,
  'long keys': (size) => `{"${'k'.repeat(size)}":1}`,
  'escaped texts': (size) => `["${'\\u0041'.repeat(size / 6)}"]`,
  'escaped quotes': (size) => `["${'\\"'.repeat(size / 2)}"]`,
  backslashes: (size) => `["${'\\\\'.repeat(size / 2)}"]`,
  'the same long text again and again': (size) =>
    JSON.stringify(Array.from({ length: 64 }, () => 'x'.repeat(size / 64))),
  space: (size) => `[${' '.repeat(size)}]`,
}

const jsonReaders: Readonly<Record<string, (input: string) => unknown>> = {
  parseJsonBody: (input) => parseJsonBody(Buffer.from(input)),
  'structured parameter': (input) => parseStructured({ filters: input }, 'filters'),
  'coerce JSON': (input) => coerce('field', { ...site.fields['title'], fieldtype: 'JSON' } as never, input),
  parseFilters: (input) => parseFilters(input, context),
  parseFields: (input) => parseFields(input, context),
}

/** Archives come as bytes; what the text holds becomes a part of one. */
const archives: readonly GrowthCase[] = ['2x', '10 ', '1\n', '9', '19 path=a\n'].flatMap((pump) => [
  { name: `readZip on ${JSON.stringify(pump)}`, input: repeated('', pump, ''), run: zipOf },
  { name: `readTar, extended header of ${JSON.stringify(pump)}`, input: repeated('', pump, ' '), run: tarWith },
])

async function zipOf(input: string): Promise<unknown> {
  try {
    return await readZip(Buffer.from(`PK\u0001\u0002${input}PK\u0005\u0006`.padEnd(64, '\0'), 'latin1'))
  } catch {
    return null
  }
}

async function tarWith(input: string): Promise<unknown> {
  const body = Buffer.from(input, 'latin1')
  const head = Buffer.alloc(512)
  head.write('pax', 0)
  head.write(body.length.toString(8).padStart(11, '0'), 124)
  head.write('x', 156)
  head.fill(' ', 148, 156)
  head.write(
    head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0'),
    148,
  )
  const padded = Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
  try {
    return await readTar(oneChunk(padded), () => null)
  } catch {
    return null
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** All of them. */
export const cases: readonly GrowthCase[] = [
  ...Object.entries(readers).flatMap(([name, run]) =>
    pumps.flatMap((pump) =>
      ['', '\0'].map((suffix) => ({
        name: `${name} on ${JSON.stringify(`(${pump})…${suffix}`)}`,
        input: repeated('', pump, suffix),
        run: ignoringErrors(run),
      })),
    ),
  ),
  ...Object.entries(jsonReaders).flatMap(([name, run]) =>
    Object.entries(jsonShapes).map(([shape, input]) => ({
      name: `${name} on ${shape}`,
      input: (size: number) => input(size),
      run: ignoringErrors(run),
    })),
  ),
  ...archives,
]
