import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createRowCounter, type DumpRow } from './count-rows.ts'

const dump = `-- INSERT INTO \`no\` VALUES (1);
CREATE TABLE \`empty\` (
  \`a\` int
);
/*!50001 CREATE VIEW \`seen\` AS SELECT 1 */;
CREATE TABLE \`a\`\`ü\` (
  \`a\` int
);
INSERT INTO \`a\`\`ü\` VALUES
(1,'x\\n),(2;\\'\\\\'),
(2,NULL),
(3,'it''s; (');
INSERT INTO \`a\`\`ü\` (\`a\`, \`b\`) VALUES (4,POINT(1,2)),(5,';');
INSERT INTO \`late\` VALUES (0x00FF27,'\\\\');`

test.each([1, 3, 50, 10_000])('counts rows, whatever is in them, in pieces of %d bytes', async (size) => {
  const bytes = Buffer.from(dump)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  const seen: DumpRow[] = []
  const { through, rows } = createRowCounter((row) => seen.push(row))
  expect(await text(Readable.from(pieces).pipe(through))).toBe(dump)
  const texts = [
    String.raw`(1,'x\n),(2;\'\\')`,
    '(2,NULL)',
    "(3,'it''s; (')",
    '(4,POINT(1,2))',
    "(5,';')",
    String.raw`(0x00FF27,'\\')`,
  ]
  expect(seen.map(({ head }) => head)).toEqual(texts)
  expect(seen.map(({ sha256 }) => sha256.toString('hex'))).toEqual(
    texts.map((row) => createHash('sha256').update(row).digest('hex')),
  )
  expect([...rows]).toEqual([
    ['empty', 0],
    ['a`ü', 5],
    ['late', 1],
  ])
})

test('names in the bodies of triggers are counted up to a limit', async () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => `CREATE TABLE \`t${n}\` (`).join('\n')
  const { through, rows } = createRowCounter()
  await text(Readable.from([Buffer.from(lines)]).pipe(through))
  expect(rows.size).toBe(1_000)
})
