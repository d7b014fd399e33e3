import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { XmlError, XmlReader } from '#server/platform/xml-reader.ts'
import { kindOfFile } from '#shared/rules/archive-formats.ts'
import { makeWxr } from './wxr-fixture.ts'
import { inspectWxr, wxrToSql } from './wxr-sql.ts'

/** What a reader says of a text that comes in pieces, with texts put together. */
function eventsOf(pieces: readonly string[]): string[] {
  const events: string[] = []
  let text = ''
  const flush = () => {
    if (text !== '') events.push(`text ${text}`)
    text = ''
  }
  const reader = new XmlReader({
    open: (name, attributes) => {
      flush()
      events.push(`open ${name} ${JSON.stringify([...attributes])}`)
    },
    text: (piece) => {
      text += piece
    },
    close: (name) => {
      flush()
      events.push(`close ${name}`)
    },
  })
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return events
}
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;')
const problemOf = (pieces: readonly string[]): string => {
  try {
    return eventsOf(pieces).join('\n')
  } catch (error) {
    if (error instanceof XmlError) return error.kind
    throw error
  }
}
/** Cuts a text into pieces. */
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((a, b) => a - b)
  return at.slice(1).map((end, index) => text.slice(at[index], end))
}

describe('XML', () => {
  const all = `\uFEFF<?xml version="1.0"?><!-- <x> --><a b="1 &gt; 0" c='"'>one &amp; &#x41;&#66; &nbsp;<![CDATA[<&amp;]]]]><![CDATA[>]]><b/></a>\n`

  test('is read the same however it is cut', () => {
    const whole = eventsOf([all])
    expect(whole).toEqual([
      'open a [["b","1 > 0"],["c","\\""]]',
      'text one & AB &nbsp;<&amp;]]>',
      'open b []',
      'close b',
      'close a',
    ])
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (cuts) => {
        expect(eventsOf(cutAt(all, cuts))).toEqual(whole)
      }),
    )
  })

  test('any text comes back, escaped and in CDATA', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(text, text, fc.array(fc.nat(), { maxLength: 10 }), (one, two, cuts) => {
        const xml = `<a b="${escaped(one)}">${escaped(one)}<![CDATA[${two.replaceAll(']]>', ']]]]><![CDATA[>')}]]></a>`
        expect(eventsOf(cutAt(xml, cuts))).toEqual(
          [`open a ${JSON.stringify([['b', one]])}`, one + two === '' ? '' : `text ${one}${two}`, 'close a'].filter(
            Boolean,
          ),
        )
      }),
    )
  })

  test('nothing that is no XML does anything but be refused', () => {
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<b/>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&',
      '<',
      '>',
      '"',
      'x',
      '<?',
      '?>',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(typeof problemOf(parts)).toBe('string')
      }),
    )
  })

  test.each([
    ['an entity bomb', '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', 'document_type'],
    ['an external entity', '<?xml version="1.0"?><!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'document_type'],
    ['elements in elements', '<a>'.repeat(100), 'too_deep'],
    ['another end', '<a></b>', 'not_well_formed'],
    ['two roots', '<a/><a/>', 'not_well_formed'],
    ['text outside', 'x<a/>', 'not_well_formed'],
    ['a tag without an end', `<a ${'b="1" '.repeat(20_000)}`, 'not_well_formed'],
    ['a cut tag', '<a><b c="', 'cut_off'],
    ['cut text', '<a><![CDATA[x', 'cut_off'],
    ['nothing', '', 'cut_off'],
  ])('%s is refused', (_what, xml, kind) => expect(problemOf([xml])).toBe(kind))
})

async function* bytesOf(text: string): AsyncGenerator<Buffer, void, undefined> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777)
}
async function sqlOf(text: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of wxrToSql(bytesOf(text))) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

describe('WXR', () => {
  test('says what it has', async () => {
    const wxr = makeWxr()
    expect(kindOfFile(Buffer.from(wxr))).toBe('wxr')
    expect(await inspectWxr(bytesOf(wxr))).toEqual({
      ...{ title: 'Ann’s “Shop”', tagline: 'Things & more', from: 'https://www.example.com/blog' },
      admin: { login: 'ann', email: 'ann@example.com', name: 'Ann' },
      ...{ sticky: [7], posts: 5 },
    })
  })

  test('any text is one literal of the dump', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (text) => {
        const content = `${text}'\\\n;`
        const sql = await sqlOf(makeWxr({ content }))
        const [row = ''] = sql.match(/INSERT INTO `wp_posts`[^]*?\);\n(?=INSERT|$)/) ?? []
        const literal = `'${content.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
        expect(row).toContain(`'2024-05-01 10:00:00', ${literal}, 'First'`)
      }),
    )
  })

  test('ids that are missing, repeated or no numbers don’t end it', async () => {
    const sql = await sqlOf(makeWxr({ id: "1'; DROP" }))
    expect(sql).toContain(String.raw`?p=1\'; DROP'`)
    expect(sql).toMatch(/INSERT INTO `wp_posts` [^\n]* VALUES \(1, 2, /)
    expect(sql.match(/INSERT INTO `wp_posts`/g)).toHaveLength(5)
  })

  test('what is cut off, has a document type, or is another RSS file is refused', async () => {
    const refusalOf = (text: string) =>
      inspectWxr(bytesOf(text)).then(
        () => 'none',
        (error: unknown) => (error instanceof FileRefusal ? error.message : Promise.reject(error as Error)),
      )
    const wxr = makeWxr()
    expect(await refusalOf(wxr.slice(0, -10))).toContain('cut off')
    expect(await refusalOf(wxr.replace('<rss', '<!DOCTYPE rss [<!ENTITY x "y">]><rss'))).toContain('document type')
    expect(await refusalOf('<rss><channel><title>x</title></channel></rss>')).toContain('no WordPress export')
    expect(await refusalOf('<html><body/></html>')).toContain('no WordPress export')
    expect(await refusalOf(makeWxr({ content: 'x'.repeat(17_000_000) }))).toContain('more than 16 MB')
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: wxr.trimEnd().length - 1 }), async (length) => {
        expect(await refusalOf(wxr.slice(0, length))).not.toBe('none')
      }),
    )
  })
})
