/**
 * HTML from people, made harmless: ten tags stay (specification section 9), links lead to http, https and mailto only,
 * and everything else is taken away.
 *
 * Nothing of the input is passed on as markup. The text is read as a browser reads it, and the answer is written anew
 * from what was understood: known tags spelled by us, a checked address, escaped text. A mistake in reading can lose a
 * word, it cannot let a tag through. (Libraries of this kind need a document, which a server has not, or weigh several
 * times as much in the browser.)
 */

/** The tags that stay. */
export const allowedTags = ['p', 'b', 'i', 'em', 'br', 'strong', 'ul', 'ol', 'li', 'a'] as const

const allowed: ReadonlySet<string> = new Set(allowedTags)

/** Elements whose content is no text for people, or is read by other rules: they go with all that is in them. */
const withContent: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'template',
  'svg',
  'math',
  'object',
  'select',
])

/** Deepest nesting that is kept. */
const deepest = 50

/** A tag of the input: where it ends, and what was understood of it. */
interface Tag {
  readonly name: string
  readonly closing: boolean
  readonly href: string | null
  /** First character after it. */
  readonly end: number
}

/**
 * Returns safe HTML, well nested; applied twice it changes nothing more. `tags: 'none'` takes every tag away and leaves
 * escaped text.
 */
export function sanitize(html: string, options: { tags?: 'allowed' | 'none' } = {}): string {
  const input = html
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
  const writer = createWriter(options.tags === 'none')
  for (let at = 0; at < input.length;) {
    const next = input.indexOf('<', at)
    if (next < 0) {
      writer.text(input.slice(at))
      break
    }
    writer.text(input.slice(at, next))
    at = readMarkup(input, next, writer)
  }
  return writer.end()
}

/** Reads what begins with `<`; returns where the text goes on. What has no end swallows the rest, as in a browser. */
function readMarkup(input: string, at: number, writer: Writer): number {
  if (input.startsWith('<!--', at)) return after(input, '-->', at + 2)
  if (/^<(?:[!?]|\/[^A-Za-z])/.test(input.slice(at, at + 3))) return after(input, '>', at + 1)
  if (!/^<\/?[A-Za-z]/.test(input.slice(at, at + 3))) {
    writer.text('<')
    return at + 1
  }
  const tag = readTag(input, at)
  if (tag === null) return input.length
  if (tag.closing) writer.close(tag.name)
  else if (withContent.has(tag.name)) return endOfElement(input, tag.end, tag.name)
  else writer.open(tag)
  return tag.end
}

function after(input: string, what: string, from: number): number {
  const found = input.indexOf(what, from)
  return found < 0 ? input.length : found + what.length
}

function endOfElement(input: string, from: number, name: string): number {
  const closing = /<\/([a-z]+)(?=[\s/>])/gi
  closing.lastIndex = from
  for (let found = closing.exec(input); found !== null; found = closing.exec(input))
    if (found[1]?.toLowerCase() === name) return after(input, '>', found.index)
  return input.length
}

/** One attribute: its name, and its value in double, single or no quotes. */
const attributePattern = /[\s/]*(?:([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?|=)/y

/** Reads a whole tag; null when it does not end. */
function readTag(input: string, at: number): Tag | null {
  const start = /<(\/?)([A-Za-z][^\s/>]*)/y
  start.lastIndex = at
  const [head = '', slash, name = ''] = start.exec(input) ?? []
  let position = at + head.length
  let href: string | null = null
  for (;;) {
    const closing = /[\s/]*>/y
    closing.lastIndex = position
    const close = closing.exec(input)
    if (close) return { name: name.toLowerCase(), closing: slash === '/', href, end: position + close[0].length }
    attributePattern.lastIndex = position
    const found = attributePattern.exec(input)
    if (!found || found[0] === '') return null
    position += found[0].length
    const value = found[2] ?? found[3] ?? found[4]
    // The first of several equal names counts.
    if (found[1]?.toLowerCase() === 'href') href ??= value ?? ''
  }
}

/** The address of a link when it leads where links may lead; null otherwise. */
function safeAddress(href: string | null): string | null {
  if (href === null) return null
  const text = decode(href)
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  // What looks like one host and leads to another.
  return url.username === '' && url.password === '' ? url.href : null
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Character references of an address. An unknown one stays as it stands, and is then part of an address like any text. */
function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? all
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
  })
}

/** What writes the answer. */
interface Writer {
  text(text: string): void
  open(tag: Tag): void
  close(name: string): void
  end(): string
}

function createWriter(noTags: boolean): Writer {
  const out: string[] = []
  const open: string[] = []

  /** Closes elements down to the one at `depth`, that one included. */
  const closeTo = (depth: number) => {
    while (open.length > depth) out.push(`</${open.pop() as string}>`)
  }
  /** Closes what a browser would close by itself before this tag. */
  const makeRoom = (name: string) => {
    if (['p', 'ul', 'ol', 'li'].includes(name)) closeIfOpen(open.indexOf('p'))
    if (name === 'a') closeIfOpen(open.indexOf('a'))
    if (name !== 'li') return
    const list = Math.max(open.lastIndexOf('ul'), open.lastIndexOf('ol'))
    const item = open.lastIndexOf('li')
    if (item > list) closeTo(item)
  }
  const closeIfOpen = (depth: number) => {
    if (depth >= 0) closeTo(depth)
  }

  return {
    text: (text) => void out.push(escapeText(text)),
    open({ name, href }) {
      if (noTags || !allowed.has(name)) return
      if (name === 'br') {
        out.push('<br>')
        return
      }
      const address = name === 'a' ? safeAddress(href) : null
      if (name === 'a' && address === null) return
      makeRoom(name)
      if (open.length >= deepest) return
      open.push(name)
      out.push(
        address === null
          ? `<${name}>`
          : `<a href="${escapeAttribute(address)}" rel="noopener noreferrer nofollow" target="_blank">`,
      )
    },
    close(name) {
      closeIfOpen(open.lastIndexOf(name))
    },
    end() {
      closeTo(0)
      return out.join('')
    },
  }
}

/** Text as text: no tag begins in it. References that are whole stay what they are. */
function escapeText(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)/gi, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
