import { expect, it } from 'vitest'
import { domainsOf } from './domains-card.tsx'

it('lists the site’s own address first and each domain once', () => {
  const site = {
    domain: 'blog',
    url: 'http://blog.localhost:8080',
    usr_alias_domains: 'www.example.com, example.com\nexample.com',
    aliases: null,
  }
  expect(domainsOf(site)).toEqual(['blog.localhost:8080', 'www.example.com', 'example.com'])
  expect(domainsOf({ domain: 'shop.example.com', url: null, usr_alias_domains: null, aliases: null })).toEqual([
    'shop.example.com',
  ])
  const aliases = [
    { domain: 'shop', url: 'http://shop.localhost:8080', mode: 'serve' },
    { domain: 'gone', url: 'http://gone.localhost:8080', mode: 'serve', taken: 1 },
  ] as const
  expect(domainsOf({ ...site, aliases: [...aliases] })).toEqual(['blog.localhost:8080', 'shop.localhost:8080'])
})
