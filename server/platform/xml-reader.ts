/** Receives what an XML file has, in order. */
export interface XmlHandler {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** A piece of text; one text can come in several. */
  text(piece: string): void
  close(name: string): void
}

/** The file is no XML that is read here. */
export class XmlError extends Error {
  readonly kind: 'not_well_formed' | 'cut_off' | 'document_type' | 'too_deep'
  constructor(kind: XmlError['kind']) {
    super(kind)
    this.name = 'XmlError'
    this.kind = kind
  }
}

/** Characters of one tag, with its attributes. */
const maxTag = 65_536
const maxDepth = 32
/** Text as it is, comments and instructions, with their ends. */
const cdata = '<![CDATA['
const sections = [
  [cdata, ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const attribute = /\s{1,100}([^\s=<>"'/]{1,200})\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)')/y
const name = /^[^\s/>]{1,200}/

/**
 * Reads XML in pieces, in time linear to its size and with memory for one tag. There are no entities but the five of XML and
 * characters by number: a document type, which could declare some that expand without end, is refused.
 */
export class XmlReader {
  readonly #handler: XmlHandler
  readonly #stack: string[] = []
  #rest = ''
  /** The end of the section that is being read, and whether its content is text. */
  #section: { readonly end: string; readonly isText: boolean } | null = null
  #hasRoot = false
  /** How far the tag at the beginning of the rest was searched for its end, so that no piece is searched twice. */
  #search: TagSearch = { length: 1, quote: '' }

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  /** Reads on. Throws XmlError. */
  push(piece: string): void {
    const text = this.#rest + piece
    let at = 0
    while (at < text.length) {
      const next = this.#read(text, at)
      if (next === null) break
      at = next
    }
    this.#rest = text.slice(at)
  }

  /** Throws XmlError unless everything that was opened is closed. */
  end(): void {
    const isWhole = this.#stack.length === 0 && this.#hasRoot && this.#section === null
    if (!isWhole || this.#rest.trim() !== '') throw new XmlError('cut_off')
  }

  /** Reads what begins at a position. Returns where it ends; null if more is needed. */
  #read(text: string, at: number): number | null {
    if (this.#section !== null) return this.#readSection(text, at, this.#section)
    if (text[at] !== '<') return this.#readText(text, at)
    for (const [begin, end] of sections) {
      if (text.startsWith(begin, at)) {
        this.#section = { end, isText: begin === cdata }
        return at + begin.length
      }
      if (text.length - at < begin.length && begin.startsWith(text.slice(at))) return null
    }
    if (text.startsWith('<!', at)) throw new XmlError('document_type')
    return this.#readTag(text, at)
  }

  #readText(text: string, at: number): number | null {
    const found = text.indexOf('<', at)
    let end = found < 0 ? text.length : found
    if (found < 0) {
      // What may be the beginning of an entity waits for its end.
      const ampersand = text.lastIndexOf('&')
      if (ampersand >= at && text.length - ampersand < 12) end = ampersand
      if (end === at) return null
    }
    this.#text(decoded(text.slice(at, end)))
    return end
  }

  /** Its end may be in two pieces. */
  #readSection(text: string, at: number, { end, isText }: { end: string; isText: boolean }): number | null {
    const found = text.indexOf(end, at)
    const until = found < 0 ? Math.max(at, text.length - end.length + 1) : found
    if (isText && until > at) this.#text(text.slice(at, until))
    if (found >= 0) {
      this.#section = null
      return found + end.length
    }
    return until > at ? until : null
  }

  #readTag(text: string, at: number): number | null {
    const end = endOfTag(text, at, this.#search)
    if (end === null || end - at > maxTag) {
      if (text.length - at > maxTag) throw new XmlError('not_well_formed')
      return null
    }
    this.#search = { length: 1, quote: '' }
    const inside = text.slice(at + 1, end)
    if (inside.startsWith('/')) this.#close(inside.slice(1).trim())
    else {
      const [tag] = name.exec(inside) ?? []
      if (tag === undefined) throw new XmlError('not_well_formed')
      this.#open(tag, attributesOf(inside, tag.length))
      if (inside.endsWith('/')) this.#close(tag)
    }
    return end + 1
  }

  #text(piece: string): void {
    if (this.#stack.length > 0) this.#handler.text(piece)
    else if (piece.replace('\uFEFF', '').trim() !== '') throw new XmlError('not_well_formed')
  }

  #open(tag: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#stack.length === 0 && this.#hasRoot) throw new XmlError('not_well_formed')
    if (this.#stack.length >= maxDepth) throw new XmlError('too_deep')
    this.#hasRoot = true
    this.#stack.push(tag)
    this.#handler.open(tag, attributes)
  }

  #close(tag: string): void {
    if (this.#stack.pop() !== tag) throw new XmlError('not_well_formed')
    this.#handler.close(tag)
  }
}

/** A search for the end of a tag: characters of it that were looked at, and the quote that is open. */
interface TagSearch {
  length: number
  quote: string
}

/** Where the tag that begins at a position ends, after its quoted values; null if that is not there yet. Moves the search on. */
function endOfTag(text: string, from: number, search: TagSearch): number | null {
  for (; search.length <= maxTag + 1 && from + search.length < text.length; search.length += 1) {
    const at = from + search.length
    const char = text[at] ?? ''
    if (search.quote !== '') search.quote = char === search.quote ? '' : search.quote
    else if (char === '>') return at
    else if (char === '"' || char === "'") search.quote = char
    else if (char === '<') throw new XmlError('not_well_formed')
  }
  return null
}

function attributesOf(inside: string, from: number): Map<string, string> {
  const found = new Map<string, string>()
  attribute.lastIndex = from
  for (let match = attribute.exec(inside); match !== null; match = attribute.exec(inside))
    found.set(match[1] ?? '', decoded(match[2] ?? match[3] ?? ''))
  return found
}

/** Text with its entities; those that XML doesn't know stay as they are. */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, decimal, hex, named) => {
    if (typeof named === 'string') return entities[named.toLowerCase()] ?? whole
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
    return isCharacter(code) ? String.fromCodePoint(code) : whole
  })
}

/** XML 1.0, 2.2. */
function isCharacter(code: number): boolean {
  return (
    [9, 10, 13].includes(code) ||
    (code >= 0x20 && code < 0xd800) ||
    (code > 0xdfff && code !== 0xfffe && code <= 0x10ffff)
  )
}
