import { expect, test } from 'vitest'
import { readEc2Xml } from './ec2-xml.ts'

test('reads structures, lists and texts', () => {
  const xml = `<?xml version="1.0"?>
    <R xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
      <requestId>1 &lt; 2</requestId>
      <set><item><name>a</name></item><item><name/></item></set>
      <none/>
    </R>`
  expect(readEc2Xml(xml)).toEqual({ requestId: '1 < 2', set: [{ name: 'a' }, { name: '' }], none: '' })
})

test.each(['', '{}', '<a>', '<a></b>', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<a>'.repeat(40)])(
  'anything else is none: %s',
  (text) => {
    expect(readEc2Xml(text)).toBeNull()
  },
)

test('names of fields are only names', () => {
  const value = readEc2Xml('<R><__proto__><polluted>yes</polluted></__proto__></R>')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})
