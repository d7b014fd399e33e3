import { describe, expect, test } from 'vitest'
import { sortPrefixMatchesFirst, startsWords, highlightMatches, readCommand } from './command.ts'

const verbs = [
  { name: 'login_link', label: 'Open admin' },
  { name: 'archive', label: 'Archive', keywords: ['Delete', 'Remove'] },
  { name: 'delete_permanently', label: 'Delete permanently', phrase: 'Permanently delete {title}' },
  { name: 'restore_archive', label: 'Restore from archive', phrase: 'Restore {title} from the archive' },
]

describe('actions that the text starts with', () => {
  test.each([
    ['blog', null, 'blog'],
    ['  blog ', null, 'blog'],
    ['open admin of blog', ['login_link'], 'blog'],
    ['open admin of ', ['login_link'], ''],
    ['open admin often', ['login_link'], 'often'],
    ['Open Admin blog', ['login_link'], 'blog'],
    ['archive Blog', ['archive'], 'Blog'],
    ['delete permanently old', ['delete_permanently'], 'old'],
    ['Permanently delete old', ['delete_permanently'], 'old'],
    ['archive ', ['archive'], ''],
    ['archive-2024', null, 'archive-2024'],
    ['restore', ['restore_archive'], ''],
    ['Restore Blog from the archive', ['restore_archive'], 'Blog'],
    ['restored', null, 'restored'],
    ['', null, ''],
  ])('%j', (text, actions, term) => {
    expect(readCommand(text, verbs)).toMatchObject({ actions, term })
  })
})

describe('actions that the text contains words of', () => {
  test.each([
    ['arch', ['archive', 'restore_archive'], ''],
    ['Arc', ['archive', 'restore_archive'], ''],
    ['arch Blog', ['archive', 'restore_archive'], 'Blog'],
    ['arch for blog', ['archive', 'restore_archive'], 'blog'],
    ['blog archive', ['archive', 'restore_archive'], 'blog'],
    ['blog delete', ['archive', 'delete_permanently'], 'blog'],
    ['remove blog', ['archive'], 'blog'],
    ['delete perm', ['delete_permanently'], ''],
    ['admin my shop', ['login_link'], 'my shop'],
  ])('%j', (text, actions, term) => expect(readCommand(text, verbs).partly).toEqual({ actions, term }))

  test.each(['', 'blog', 'de', 'for', 'archive-2024', 'undelete', 'delete permanently'])(
    '%j matches no further action',
    (text) => expect(readCommand(text, verbs).partly).toBeNull(),
  )
})

test('a text matches if it contains all typed words', () => {
  expect(startsWords('Create Site', 'site creat')).toBe(true)
  expect(startsWords('Create Site', '')).toBe(true)
  expect(startsWords('Create Site', 'delete site')).toBe(false)
  // The middle of a word: no page is meant by the name of a site.
  expect(startsWords('Users', 'ser')).toBe(false)
  expect(startsWords('Übersicht', 'uber')).toBe(true)
})

test('the match is highlighted in its own spelling', () => {
  expect(highlightMatches('MyBlog.example', 'blog')).toEqual([
    { text: 'My', hit: false },
    { text: 'Blog', hit: true },
    { text: '.example', hit: false },
  ])
  expect(highlightMatches('shop', 'blog')).toEqual([{ text: 'shop', hit: false }])
  expect(highlightMatches('shop', '')).toEqual([{ text: 'shop', hit: false }])
})

test('names that start with the text come first; the order is otherwise unchanged', () => {
  expect(sortPrefixMatchesFirst(['my-blog', 'shop-blog', 'Blog'], 'blog', (name) => name)).toEqual([
    'Blog',
    'my-blog',
    'shop-blog',
  ])
})
