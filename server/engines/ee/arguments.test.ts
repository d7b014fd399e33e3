import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { EngineError, type SiteSpec } from '../engine.ts'
import { thisMachine } from '../site-ref.ts'
import { createArguments, safeOption, phpVersionsOn } from './arguments.ts'

const spec: SiteSpec = {
  ...{ id: 'abcdefghij', domain: 'shop.example.com', siteType: 'wp', phpVersion: '8.4', server: thisMachine },
  ...{ title: 'Shop', adminUser: 'ada', adminEmail: 'ada@example.com', adminPassword: 'x' },
}

describe('arguments of a creation', () => {
  it('always have the type beside the PHP version, and a database name of our own', () => {
    expect(createArguments(spec, 'ed_abcdefghij_0a1b')).toEqual([
      'shop.example.com',
      '--type=wp',
      '--php=8.4',
      '--dbname=ed_abcdefghij_0a1b',
      '--admin-user=ada',
      '--admin-email=ada@example.com',
      '--yes',
    ])
    expect(createArguments({ ...spec, siteType: 'php' }, 'ed_x')).toEqual([
      ...['shop.example.com', '--type=php', '--php=8.4', '--admin-email=ed_x@shop.example.com'],
    ])
    expect(createArguments({ ...spec, siteType: 'php', withDatabase: true }, 'ed_x')).toEqual([
      'shop.example.com',
      '--type=php',
      '--php=8.4',
      '--with-db',
      '--dbname=ed_x',
      '--dbuser=ed_x',
    ])
    expect(createArguments({ ...spec, siteType: 'html' }, 'ed_x')).toEqual(['shop.example.com', '--type=html'])
  })

  it('have cache, network and the folders of VIP', () => {
    const more = createArguments({ ...spec, multisite: 'subdir', objectCache: true, vip: true }, 'ed_x')
    expect(more).toEqual(expect.arrayContaining(['--mu=subdir', '--cache', '--vip']))
  })

  it('have those folders only where EasyEngine can get them', () => {
    const on = (facts: Record<string, unknown>) => ({ ...spec, vip: true, server: { ...thisMachine, facts } })
    for (const facts of [{}, { git: true }]) expect(createArguments(on(facts), 'ed_x')).toContain('--vip')
    expect(() => createArguments(on({ git: false }), 'ed_x')).toThrow('needs git')
  })

  it('have a PHP that the EasyEngine of the server has', () => {
    const on = (easyengine: unknown) => ({ ...thisMachine, facts: { easyengine } })
    const versions = ['4.7.6', '4.8.0', '4.9.3', '4.10.0', '5.0', 'nightly', null].map((one) => phpVersionsOn(on(one)))
    expect(versions.map((found) => found.at(-1))).toEqual(['8.3', '8.4', '8.4', '8.5', '8.5', '8.5', '8.5'])
    expect(() => createArguments({ ...spec, phpVersion: '8.4', server: on('4.7.6') }, 'ed_x')).toThrow(
      'one of 8.2, 8.3 on',
    )
    expect(createArguments({ ...spec, phpVersion: '8.3', server: on('4.7.6') }, 'ed_x')).toContain('--php=8.3')
  })

  it('have language and version of WordPress, if they were chosen', () => {
    const chosen = createArguments({ ...spec, locale: 'de_DE_formal', wordpressVersion: '6.8.1' }, 'ed_x')
    expect(chosen.slice(-3)).toEqual(['--locale=de_DE_formal', '--version=6.8.1', '--yes'])
    expect(createArguments({ ...spec, wordpressVersion: 'latest' }, 'ed_x')).toContain('--version=latest')
    for (const changes of [{ locale: 'German' }, { wordpressVersion: '6.3' }, { wordpressVersion: 'nightly' }])
      expect(() => createArguments({ ...spec, ...changes }, 'ed_x')).toThrow(EngineError)
  })

  // EasyEngine pastes them into command lines of a root shell.
  test('consist of characters that no shell interprets, or are refused', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .tuple(fc.constantFrom('ada', 'shop.example.com', 'a@b.de'), fc.constantFrom(...'\'"`$;|&<>(){}*?~#!\\ \n\t'))
        .map(([text, sign]) => text + sign),
    )
    fc.assert(
      fc.property(
        fc.constantFrom('domain', 'phpVersion', 'adminUser', 'adminEmail', 'id', 'locale', 'wordpressVersion'),
        hostile,
        (field, value) => {
          let words: string[]
          try {
            words = createArguments({ ...spec, [field]: value }, 'ed_x')
          } catch (error) {
            expect(error).toBeInstanceOf(EngineError)
            return
          }
          for (const word of words) expect(word).toMatch(/^(?:--[a-z-]+(?:=[A-Za-z0-9._@+-]+)?|[a-z0-9.-]+)$/)
        },
      ),
    )
  })

  test('never begin a second option or expand', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (value) => {
        try {
          expect(safeOption('user', value)).toMatch(/^--user=[A-Za-z0-9._@+,:/-]*$/)
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
        }
      }),
    )
  })
})
