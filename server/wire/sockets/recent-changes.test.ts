import { beforeEach, describe, expect, it } from 'vitest'
import type { DocumentEvent } from '#server/documents/types.ts'
import { rememberChanges, type RecentChanges } from './recent-changes.ts'

const event = (name: string): DocumentEvent => ({
  kind: 'update',
  doctype: 'Site',
  name,
  organization: 'acme',
  user: 'a@b.example',
  modified: '',
})
const rooms = ['doc:Site/a', 'doc:Site/b', 'doctype:acme:Site', 'doctype:globex:Site', 'org:acme']

describe('changes of the last minute', () => {
  let time = 0
  let changes: RecentChanges
  beforeEach(() => {
    time = 1_000_000
    changes = rememberChanges(() => time)
    time += 100_000
  })

  it('names the rooms that changed, and no others', () => {
    changes.note(event('a'))
    time += 1000
    expect(changes.since(rooms, 2000)).toEqual(['doc:Site/a', 'doctype:acme:Site'])
    time += 30_000
    expect(changes.since(rooms, 2000)).toEqual([])
    expect(changes.since(rooms, 40_000)).toEqual(['doc:Site/a', 'doctype:acme:Site'])
  })

  it('says so when it does not know: too long ago, before the start, or no number', () => {
    expect(changes.since(rooms, 61_000)).toBeNull()
    expect(changes.since(rooms, Number.NaN)).toBeNull()
    expect(changes.since(rooms, -1)).toBeNull()
    expect(rememberChanges(() => time).since(rooms, 1)).toBeNull()
  })

  it('forgets what is older than a minute', () => {
    changes.note(event('a'))
    time += 61_000
    changes.note(event('b'))
    expect(changes.since(rooms, 50_000)).toEqual(['doc:Site/b', 'doctype:acme:Site'])
  })
})
