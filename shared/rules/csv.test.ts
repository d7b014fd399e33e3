import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvCell, csvFile, csvRow } from './csv.ts'

/** Parses rows like a spreadsheet, strictly by RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [['']]
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    const row = rows.at(-1) as string[]
    const last = row.length - 1
    if (quoted) {
      if (character !== '"') row[last] += character
      else if (text[at + 1] === '"') {
        row[last] += '"'
        at += 1
      } else quoted = false
    } else if (character === '"') quoted = true
    else if (character === ',') row.push('')
    else if (character === '\r' && text[at + 1] === '\n') {
      rows.push([''])
      at += 1
    } else row[last] += character
  }
  return rows.slice(0, -1)
}

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30 1', "'+49 30 1"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['＝1', "'＝1"],
  ['a=b', 'a=b'],
  ['say "hi", you', '"say ""hi"", you"'],
  ['=HYPERLINK("http://evil")', `"'=HYPERLINK(""http://evil"")"`],
  [' lead', '" lead"'],
  ['', ''],
])('%j becomes %j', (value, cell) => expect(csvCell(value)).toBe(cell))

test('values that are not texts', () => {
  expect(csvRow([-5, 1.5, true, null, undefined, { a: 1 }, ['=x']])).toBe('-5,1.5,true,,,"{""a"":1}","[""=x""]"\r\n')
})

test('any table round-trips, and no text cell starts like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), { minLength: 1 }), (table) => {
      const [mark, ...text] = csvFile(table)
      expect(mark).toBe('\uFEFF')
      const read = parse(text.join(''))
      expect(read.map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')))).toEqual(
        table.map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))),
      )
      for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
    }),
    { numRuns: 1000 },
  )
})
