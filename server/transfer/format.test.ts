import { describe, expect, it } from 'vitest'
import { isExported, memberOf } from './format.ts'

const upload = `${'0a'.repeat(20)}.png`

describe('members', () => {
  it.each([
    ['manifest.json', { kind: 'manifest' }],
    ['database/tab_site/12.copy', { kind: 'rows', table: 'tab_site' }],
    [`files/0a/${upload}`, { kind: 'file', folder: '0a', name: upload }],
    ['sites/abcdefghij/site.json', { kind: 'site', id: 'abcdefghij', path: 'site.json' }],
    ['sites/abcdefghij/www/', { kind: 'site', id: 'abcdefghij', path: 'www' }],
    ['sites/abcdefghij/www/a b\\c\n/..d', { kind: 'site', id: 'abcdefghij', path: 'www/a b\\c\n/..d' }],
  ])('%j', (name, member) => {
    expect(memberOf(name)).toEqual(member)
  })

  it.each([
    '/etc/passwd',
    '../keys',
    'keys',
    'files/0a/../../keys',
    `files/0b/${upload}`,
    `files/0a/${upload}/x`,
    'sites/abcdefghij/../../keys',
    'sites/abcdefghij/www/../../x/site.json',
    'sites/abcdefghij/www/..',
    'sites/abcdefghij/www//x',
    'sites/abcdefghij/www/./x',
    'sites/abcdefghij/www/x\0y',
    'sites/abcdefghij/tokens/x',
    'sites/abcdefghij/',
    'sites/../site.json',
    'sites/ABCDEFGHIJ/site.json',
    'database/../1.copy',
    'database/tab_site/x.copy',
    '',
  ])('%j is none', (name) => {
    expect(() => memberOf(name)).toThrow('strange name')
  })
})

it('leaves sign-ins, links under way, mails and queues where they are', () => {
  for (const table of [
    'tab_site',
    'easydash_credential',
    'easydash_data_key',
    'easydash_activity_head',
    'easydash_job_log',
  ])
    expect(isExported(table)).toBe(true)
  for (const table of [
    'easydash_session',
    'easydash_token',
    'easydash_mail',
    'easydash_schema',
    'job',
    'pg_class',
    'Tab_x',
  ])
    expect(isExported(table)).toBe(false)
})
