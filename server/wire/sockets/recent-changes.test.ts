import { beforeEach, describe, expect, it } from 'vitest'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { rememberChanges, type RecentChanges } from './recent-changes.ts'

const event = (name: string): DocumentEvent => ({
  kind: 'update',
  doctype: 'Site',
  name,
  organization: 'acme',
  user: 'a@b.example',
  modified: '',
})
const ann = 'ann@acme.example'
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
    expect(changes.since(rooms, 2000, ann)).toEqual(['doc:Site/a', 'doctype:acme:Site'])
    time += 30_000
    expect(changes.since(rooms, 2000, ann)).toEqual([])
    expect(changes.since(rooms, 40_000, ann)).toEqual(['doc:Site/a', 'doctype:acme:Site'])
  })

  it('names what changed for one person to that person only', () => {
    changes.note({ ...event('a'), only: ann })
    expect(changes.since(rooms, 2000, ann)).toEqual(['doc:Site/a', 'doctype:acme:Site'])
    expect(changes.since(rooms, 2000, 'bob@acme.example')).toEqual([])
  })

  it('names the own room of a person whose rights changed, to that person', () => {
    changes.recordRightsChange(ann)
    expect(changes.since(['user:ann@acme.example', ...rooms], 2000, ann)).toEqual(['user:ann@acme.example'])
    expect(changes.since(['user:bob@acme.example', ...rooms], 2000, 'bob@acme.example')).toEqual([])
  })

  it('reports if it does not know: too long ago, before the start, or not a number', () => {
    expect(changes.since(rooms, 61_000, ann)).toBeNull()
    expect(changes.since(rooms, Number.NaN, ann)).toBeNull()
    expect(changes.since(rooms, -1, ann)).toBeNull()
    expect(rememberChanges(() => time).since(rooms, 1, ann)).toBeNull()
  })

  it('knows nothing about the time before events were missed', () => {
    changes.note(event('a'))
    time += 10_000
    changes.lost()
    expect(changes.since(rooms, 2000, ann)).toBeNull()
    time += 3000
    expect(changes.since(rooms, 2000, ann)).toEqual([])
  })

  it('forgets what is older than a minute', () => {
    changes.note(event('a'))
    time += 61_000
    changes.note(event('b'))
    expect(changes.since(rooms, 50_000, ann)).toEqual(['doc:Site/b', 'doctype:acme:Site'])
  })

  it('names the changed documents of a list, unless there were too many at the time in question', () => {
    for (let at = 0; at < 51; at += 1) changes.note(event(`many${at}`))
    expect(changes.documentsIn('doctype:acme:Site', 1000, ann)).toBeNull()
    // The list goes on changing, so that it is never forgotten as a whole.
    for (let at = 0; at < 7; at += 1) {
      time += 10_000
      changes.note(event(`later${at % 2}`))
    }
    expect(changes.documentsIn('doctype:acme:Site', 1000, ann)).toEqual(['later0'])
    expect(changes.documentsIn('doctype:acme:Site', 50_000, ann)?.toSorted()).toEqual(['later0', 'later1'])
  })
})
