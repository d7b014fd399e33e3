import { expect, it } from 'vitest'
import { domainsOf } from './domains-card.tsx'

it('lists the site’s own address first and each domain once', () => {
  const site = {
    domain: 'blog',
    url: 'http://blog.localhost:8080',
    usr_alias_domains: 'www.example.com, example.com\nexample.com',
  }
  expect(domainsOf(site)).toEqual(['blog.localhost:8080', 'www.example.com', 'example.com'])
  expect(domainsOf({ domain: 'shop.example.com', url: null, usr_alias_domains: null })).toEqual(['shop.example.com'])
})
