import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { CreatedSite } from './created-site.tsx'

const api = apiServer()

function setup(status: string, job_type = 'site.create') {
  api.on('resource/Site/s1', () => ({
    data: { name: 's1', domain: 'blog', owner: 'owner@acme.example', status, site_type: 'wp', url: 'http://blog.test' },
  }))
  return renderAs(owner, <CreatedSite job={{ job_type, reference_name: 's1' }} />)
}

test.each(['site.create', 'site.clone', 'site.import'])(
  'a site made by %s can be visited and its admin opened',
  async (type) => {
    setup('Live', type)
    expect((await screen.findByRole('link', { name: 'Visit' })).getAttribute('href')).toBe('http://blog.test')
    expect(screen.getByRole('button', { name: 'Open admin' })).toBeTruthy()
  },
)

test('other jobs, and sites that are not live, have no such steps', async () => {
  setup('Live', 'site.php')
  await act(async () => undefined)
  expect(api.calls).toHaveLength(0)
  setup('Archived')
  await act(async () => undefined)
  expect(screen.queryByRole('link')).toBeNull()
})
