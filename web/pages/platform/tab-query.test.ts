import { expect, test } from 'vitest'
import { changedSearch, pageParams, readTabQuery } from './tab-query.ts'

test('a query is read only from its tab’s own parameters', () => {
  const search = '?users.q=ann&users.page=3&users.size=50&users.enabled=0&jobs.q=x&users.other=1&job=abc'
  expect(readTabQuery(search, 'users', ['enabled'])).toEqual({
    text: 'ann',
    filters: { enabled: '0' },
    page: 3,
    pageSize: 50,
    open: null,
  })
})

test.each(['0', '-1', '1.5', 'x', ''])('page %s is the first page', (page) => {
  expect(readTabQuery(`?users.page=${page}&users.size=7`, 'users', [])).toMatchObject({ page: 1, pageSize: 20 })
})

test('a change keeps other parameters and returns to the first page, unless it changes the page', () => {
  const search = '?job=abc&users.page=3&users.enabled=0'
  expect(changedSearch(search, 'users', { text: 'ann' })).toBe('?job=abc&users.enabled=0&users.q=ann')
  expect(changedSearch(search, 'users', { filter: ['enabled', ''] })).toBe('?job=abc')
  expect(changedSearch(search, 'users', { page: 4 })).toBe('?job=abc&users.page=4&users.enabled=0')
  expect(changedSearch(search, 'users', { open: 'acme' })).toBe('?job=abc&users.page=3&users.enabled=0&users.open=acme')
  expect(changedSearch('?users.open=acme', 'users', { open: null })).toBe('')
  expect(changedSearch(`${search}&users.size=50&users.q=x`, 'users', { clear: true })).toBe('?job=abc&users.size=50')
  expect(changedSearch('', 'users', { pageSize: 100 })).toBe('?users.size=100')
})

test('the query becomes the parameters of the request', () => {
  expect(pageParams(readTabQuery('?users.page=3&users.size=50&users.enabled=0', 'users', ['enabled']))).toEqual({
    enabled: '0',
    limit: 50,
    limit_start: 100,
  })
})
