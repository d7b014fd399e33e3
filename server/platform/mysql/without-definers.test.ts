import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { withoutDefiners } from './without-definers.ts'

const dump = `INSERT INTO \`t\` VALUES
(1,'/*!50013 DEFINER=\`a\`@\`b\` SQL SECURITY DEFINER */'),
(2,'x');
/*!50003 CREATE*/ /*!50017 DEFINER=\`a\`\`b\`@\`%\`*/ /*!50003 TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.b = '
DEFINER=\`a\`@\`b\`' */;;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=\`a\`@\`localhost\` SQL SECURITY INVOKER */
/*!50001 VIEW \`v\` AS select 1 */;
/*!50013 DEFINER=\`a\`@\`b\``
const expected = dump.replace('/*!50017 DEFINER=`a``b`@`%`*/ ', '').replace('DEFINER=`a`@`localhost` SQL', 'SQL')

test.each([1, 7, 100, 5_000])('takes accounts out of views and triggers alone, in pieces of %d bytes', async (size) => {
  const bytes = Buffer.from(dump)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  expect(await text(Readable.from(pieces).pipe(withoutDefiners()))).toBe(expected)
})

test('does not hold a line back that is long or begins otherwise', async () => {
  const long = `/*!50013 DEFINER=\`${'a'.repeat(5_000)}\n`
  const stream = Readable.from([long, 'INSERT', ' INTO']).pipe(withoutDefiners())
  expect(await text(stream)).toBe(`${long}INSERT INTO`)
})
